--: args -c select
select 'from file';
