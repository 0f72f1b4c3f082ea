package main

import "context"

func measureMemory(ctx context.Context, st *stage, o options) error { return nil }
