select point(1, 2), '(0,0),(1,1)'::box, '<(0,0),2>'::circle, '[(0,0),(1,1)]'::lseg, '((0,0),(1,1),(1,0))'::polygon, '{1,2,3}'::line, '[(0,0),(1,1)]'::path, point(0, 0) <-> point(3, 4), area(circle '<(0,0),1>'), box '(0,0),(2,2)' @> point(1, 1);
select 'x'::point;
