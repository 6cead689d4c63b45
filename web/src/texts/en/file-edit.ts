import type { TextKit } from '../text-kit.ts'

export const texts = ({ count, number }: TextKit) => ({
  editing: (what: string) => `Editing ${what}`,
  text: 'Each file is copied onto itself on the drive. Content and tags stay. The date changes to now, also for rules that delete by age. The ETag of a file that was uploaded in parts changes.',
  title: (what: string) => `Edit metadata of ${what}`,
  readOnly: (bucket: string) =>
    `The bucket ${bucket} is read-only. Remove it, or its drive, from READ_ONLY and restart the gateway.`,
  hasChanged: 'It has changed since it was shown. Check it, then edit it again.',
  isGone: 'It no longer exists.',
  job: {
    failed: (text: string, why: string) => `Stopped. ${text} ${why} Try again to continue.`,
    stopped: (text: string) => `Stopped. ${text}`,
    dots: 'Its path has “.” or “..” in it.',
    changed: (n: number) => `${count(n, { one: 'file', other: 'files' })} changed`,
    same: (count: string) => `${count} already had these values`,
    skipped: (count: string) => `${count} not changed`,
  },
  editor: {
    changed: 'The file has changed.',
    tooLarge: (size: string) =>
      `Texts up to 1 MiB can be edited here. This one has ${size}: download it, edit it and upload it again.`,
    compressed: (encoding: string) =>
      `The file is stored compressed (${encoding}), and cannot be edited here.`,
    noText: 'This is not a text in UTF-8 or UTF-16.',
    copyName: (stem: string, number: string, extension: string) =>
      `${stem} (my changes${number})${extension}`,
    namesTaken: 'All names for a copy are taken.',
    loading: 'Loading the text',
    cannot: 'The file cannot be edited',
    unsaved: 'Not saved',
    saved: 'Saved',
    lineEnds:
      'The lines of this file end in different ways. Saving ends all of them in the same way.',
    textOf: (name: string) => `Text of ${name}`,
    copied: (name: string) => `Your text was saved as ${name}.`,
  },
  clash: {
    deleted: 'The file was deleted',
    changed: 'The file was changed by someone else',
    deletedText: 'It was moved or deleted after you opened it. Your text is not saved yet.',
    changedText: 'It was saved again after you opened it. Your text is not saved yet.',
    copy: 'Save mine as a copy',
    create: 'Keep mine: create the file again',
    replace: 'Keep mine: replace theirs',
    take: 'Take theirs: discard mine',
  },
  discard: {
    title: 'Discard your changes?',
    action: 'Discard',
    dismiss: 'Keep editing',
    text: 'The text has changes that are not saved.',
  },
  form: {
    unread: 'Its metadata cannot be read, because the database does not respond. Try again later.',
    nameless:
      'It has metadata without a name, which would be lost. Upload it again with an S3 client.',
    tooLarge: (bytes: number) =>
      `Names and values together are limited to 2,048 bytes. These have ${number(bytes)}.`,
    asciiName:
      'Use ASCII. For other letters in a file name, write filename*=UTF-8’’ and percent-encode them.',
    ascii: 'Use ASCII letters, digits and symbols.',
    type: 'Write a type and a subtype, such as image/jpeg or text/plain; charset=utf-8.',
    noName: 'Enter a name.',
    nameCharacters: 'Use letters, digits, hyphens and dots.',
    nameTaken: 'This name is already used.',
    hint: {
      type: 'What the file is, such as image/jpeg.',
      cache: 'How long browsers may keep it, such as public, max-age=3600.',
      disposition: 'Whether browsers show or save it, such as attachment; filename="a.pdf".',
      encoding: 'How its bytes are compressed, such as gzip; empty if they are not.',
    },
    many: 'Tick what to set for all files, including those in folders. Everything else stays as it is on each file.',
    metadata: 'User metadata (x-amz-meta-…)',
    add: 'Add metadata',
    emptyNone: (hint: string) => `${hint} Empty: none.`,
    change: (name: string) => `Change ${name}`,
    what: 'What to do',
    set: 'Set',
    remove: 'Remove',
    name: 'Name',
    value: 'Value',
    removeTag: (name: string) => `Remove the tag ${name}`,
    removeLine: (name: string) => `Remove the line ${name}`,
    line: (name: string) => `Metadata ${name}`,
    tag: (name: string) => `Tag ${name}`,
  },
  tags: {
    title: 'Tags',
    most: (n: number) => `A file can have up to ${n} tags.`,
    add: 'Add tag',
    notSaved:
      'The tags were not saved. The gateway keeps tags with COMPATIBILITY=aws, on a drive that can change them.',
    reserved: 'Names that begin with aws: are reserved.',
    longName: 'A name can have up to 128 characters.',
    longValue: 'A value can have up to 256 characters.',
    characters: 'Use letters, digits, spaces and . : / = + - @ _',
  },
})

export type FileEditTexts = ReturnType<typeof texts>
