-- The part of the quickstart for another PostgreSQL, psql variables: host, port, user, database. The
-- password is read from the gateway's environment: TABLEWRIGHT_SECRET_DEMO.
CREATE CATALOG shopdb WITH (
  type = 'postgres', host = :'host', port = :'port', user = :'user', database = :'database',
  password = 'env:TABLEWRIGHT_SECRET_DEMO'
);
CREATE SCHEMA shopdb.shop;
CREATE TABLE shopdb.shop.stock (
  sku text PRIMARY KEY,
  quantity integer NOT NULL DEFAULT 0 CHECK (quantity >= 0),
  counted timestamptz NOT NULL DEFAULT now()
);
INSERT INTO shopdb.shop.stock (sku, quantity) VALUES ('tea-1', 40), ('cup-7', 12);
SELECT sku, quantity FROM shopdb.shop.stock ORDER BY sku;
