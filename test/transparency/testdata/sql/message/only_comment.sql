--: message
/* nothing at all */
