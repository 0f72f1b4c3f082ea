package main

import "context"

func measureDDL(ctx context.Context, st *stage, o options) error { return nil }
