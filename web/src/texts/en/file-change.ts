import type { TextKit } from '../text-kit.ts'

export const texts = ({ count, list }: TextKit) => ({
  delete: {
    ask: (what: string) => `Delete ${what}?`,
    more: (count: string) => `and ${count} more`,
    counting: 'Counting the contents…',
    notCounted: 'The contents could not be counted.',
    objects: (n: number) => count(n, { one: 'object', other: 'objects' }),
    total: (objects: string, size: string) => `${objects}, ${size} in total.`,
    totalMore: (objects: string, size: string) => `More than ${objects}, ${size} in total.`,
    permanently: 'Delete permanently',
    action: 'Delete',
    file: (name: string) => `“${name}”`,
    /** "2 folders and 1 file" */
    all: (counts: readonly string[]) => list(counts),
    folder: (name: string) => `folder “${name}”`,
  },
  deletion: {
    versions: 'It stays in the history of this bucket. You can restore it with “Show deleted”.',
    suspended:
      'Versions are suspended in this bucket: what was written since then is deleted permanently. Versions from before can be restored with “Show deleted”.',
    drive: 'Deleted files go to the trash of Google Drive, where you can restore them.',
    server:
      'Nextcloud and ownCloud keep deleted files in their trash if it is enabled. Other WebDAV servers usually delete them permanently.',
    permanent: 'Files are deleted permanently. This cannot be undone.',
    unknown: 'You may not be able to undo this.',
  },
  move: {
    up: 'One folder up',
    manyFolders: 'This folder contains more than is shown. Type the path of another one.',
    noFolders: 'This folder contains no folders.',
    copy: 'Copy',
    move: 'Move',
    copyTitle: (what: string) => `Copy ${what}`,
    moveTitle: (what: string) => `Move ${what}`,
    folder: 'Folder',
    hint: 'Choose a folder below or type a path. A new folder is created.',
    top: 'Top of the bucket',
    bucket: 'Bucket',
  },
  create: {
    folder: 'New folder',
    folderHint: 'With slashes, each level is created: 2026/summer',
    file: 'New text file',
    fileHint: 'Without an extension, “.txt” is added.',
    name: 'Name',
    folderExists: 'A folder with this name already exists.',
    action: 'Create',
    withSpaces: 'Create with spaces',
  },
  fileExists: 'A file with this name already exists.',
  tooLong: 'The path is too long.',
  rename: {
    title: (name: string) => `Rename “${name}”`,
    name: 'New name',
    mergeText:
      'A folder with this name already exists. The contents of this folder will be moved into it. You will be asked before any file is replaced.',
    failure: 'The folder could not be renamed',
    action: 'Rename',
    withSpaces: 'Rename with spaces',
    merge: 'Merge',
  },
  links: {
    views: (n: number) =>
      `${count(n, { one: 'link leads here and keeps', other: 'links lead here and keep' })} the old path, where visitors will no longer find this.`,
    drops: (n: number) =>
      `${count(n, { one: 'upload link leads here and keeps', other: 'upload links lead here and keep' })} the old path: what visitors send creates that folder again.`,
  },
  spaces: 'Spaces at the beginning or end',
  removeSpaces: 'Remove the spaces',
  name: {
    none: 'Enter a name.',
    slash: 'A name cannot contain a slash. To change the folder, use Move.',
    dots: 'Browsers cannot open a path with “.” or “..” in it.',
    invalid: 'The name contains an invalid character.',
    levels: 'Enter a name before and after each slash.',
  },
})

export type FileChangeTexts = ReturnType<typeof texts>
