"""Files and folders that are whole, or not there."""
