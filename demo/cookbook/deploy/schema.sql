-- The shop's own table. The image of PostgreSQL runs this file once, when its volume is empty.
-- The tables that begin with paystate_ are made by the first process that starts.
CREATE TABLE parcels (
  order_id text PRIMARY KEY,
  content text NOT NULL,
  paid_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz
);
CREATE INDEX parcels_to_send ON parcels (paid_at) WHERE sent_at IS NULL;
