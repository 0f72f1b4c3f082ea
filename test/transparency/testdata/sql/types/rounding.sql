select round(2.5), round(3.5), round(2.5::float8), trunc(-1.5), ceil(1.1), mod(7, -3), gcd(12, 18), div(7, 2);
