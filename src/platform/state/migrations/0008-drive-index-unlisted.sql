-- drive_files.unlisted may be 2, too: a folder whose content is known as of a while ago and is to be listed again.
CREATE INDEX drive_files_relisted ON drive_files (id) WHERE unlisted = 2;
