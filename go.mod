module zoosim

go 1.26.8
