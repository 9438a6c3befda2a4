module payqueued

go 1.19
