select 'a' < 'B', 'a' collate "C" < 'B' collate "C", 'a' collate "nope";
