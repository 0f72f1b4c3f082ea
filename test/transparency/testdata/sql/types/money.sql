select 12.5::money, '$1,000.00'::money + 1::money, 5::money / 2;
