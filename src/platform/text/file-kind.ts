/** What people call a file: for its icon, and for the filter of a search. */
export type FileKind =
  | ('image' | 'video' | 'audio' | 'pdf' | 'text')
  | ('document' | 'sheet' | 'slides' | 'archive' | 'code')

const extensions: Readonly<Record<FileKind, string>> = {
  image: 'png jpg jpeg gif webp avif bmp svg ico heic heif tif tiff raw dng cr2 nef arw psd',
  video: 'mp4 m4v webm ogv mov mkv avi wmv mpg mpeg 3gp',
  audio: 'mp3 m4a oga ogg opus wav flac aac wma aiff mid',
  pdf: 'pdf',
  text:
    'txt md markdown log ini conf cfg env properties diff patch tex srt vtt gitignore dockerfile makefile lock pem ' +
    'crt asc',
  document: 'doc docx odt rtf pages epub',
  sheet: 'xls xlsx ods numbers csv tsv',
  slides: 'ppt pptx odp key',
  archive: 'zip jar war apk cbz whl xpi nupkg tar gz tgz bz2 xz zst 7z rar iso dmg',
  code:
    'html htm xhtml css js mjs cjs ts tsx jsx map vue svelte py rb go rs c h cc cpp hpp cs java kt swift php pl lua r ' +
    'sql sh bash zsh ps1 bat json jsonl ndjson geojson webmanifest xml yaml yml toml',
}

const byExtension: ReadonlyMap<string, FileKind> = new Map(
  Object.entries(extensions).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as FileKind] as const),
  ),
)

/** The kind of the file with this name or key; undefined if the extension says nothing. */
export function fileKind(key: string): FileKind | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1).toLowerCase()
  return byExtension.get(name.slice(name.lastIndexOf('.') + 1))
}
