set idle_in_transaction_session_timeout = '100ms';
begin;
\! sleep 0.6
select 1;
select 2;
