select timestamptz '2024-07-01 12:00+00' at time zone 'Europe/Berlin', timestamp '2024-07-01 12:00' at time zone 'America/New_York', now() at time zone 'Nowhere/City';
