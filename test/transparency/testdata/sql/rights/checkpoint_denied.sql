checkpoint;
load 'plpgsql';
load 'auto_explain';
load '$libdir/plugins/nope';
