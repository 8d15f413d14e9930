title
 2 1 1 0
PSA 2 2 3 0
(3I2) (3I2)
 1 3 4
 1 2 2
