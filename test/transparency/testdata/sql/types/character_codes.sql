select ascii('ä'), chr(228), chr(0);
