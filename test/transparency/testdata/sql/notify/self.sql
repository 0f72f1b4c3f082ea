listen news;
notify news;
notify news, 'payload with ''quotes'' and ünï';
select pg_notify('news', 'from function');
unlisten news;
notify news, 'nobody';
select 1;
