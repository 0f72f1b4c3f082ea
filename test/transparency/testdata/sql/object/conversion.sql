create conversion conv for 'UTF8' to 'LATIN1' from utf8_to_iso8859_1;
create default conversion conv2 for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8;
create conversion bad for 'NOPE' to 'UTF8' from utf8_to_iso8859_1;
create conversion bad for 'UTF8' to 'LATIN1' from nope;
alter conversion conv rename to conv3;
alter conversion conv3 owner to current_user;
alter conversion conv3 set schema public;
alter conversion nope rename to x;
drop conversion public.conv3;
drop conversion conv3;
drop conversion if exists conv3;
drop conversion conv2;
\dc utf8_to_iso8859_1*
