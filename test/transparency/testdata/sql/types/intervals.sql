select make_interval(days => 3), justify_days('40 days'), interval '1.5 days', interval '1-2', interval 'P1DT2H', interval '1 day' * 1.5, interval '1 hour' / 0;
