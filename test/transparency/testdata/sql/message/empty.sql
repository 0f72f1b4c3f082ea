--: message
 ; ; -- nothing
