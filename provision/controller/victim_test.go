package controller

func runVictim() int { return 0 }
