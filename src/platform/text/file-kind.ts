import { nameOf } from './entry.ts'
import { kindByName, type PreviewKind } from './preview-kind.ts'

/** What people call a file, judged by its name: for its icon, and for the filter of a search. */
export type FileKind =
  | ('image' | 'video' | 'audio' | 'pdf' | 'text')
  | ('document' | 'sheet' | 'slides' | 'archive' | 'code')

const extensions: Readonly<Partial<Record<FileKind, string>>> = {
  image: 'heic heif tif tiff raw dng cr2 nef arw psd',
  video: 'avi wmv mpg mpeg 3gp',
  audio: 'wma aiff mid',
  document: 'doc docx odt rtf pages epub',
  sheet: 'xls xlsx ods numbers csv tsv',
  slides: 'ppt pptx odp key',
  archive: 'tar gz tgz bz2 xz zst 7z rar iso dmg',
  code:
    'html htm xhtml css js mjs cjs ts tsx jsx vue svelte py rb go rs c h cc cpp hpp cs java kt swift php pl lua r ' +
    'sql sh bash zsh ps1 bat json jsonl ndjson xml yaml yml toml',
}

const byExtension: ReadonlyMap<string, FileKind> = new Map(
  Object.entries(extensions).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as FileKind] as const),
  ),
)

const byPreview: Readonly<Record<PreviewKind, FileKind>> = {
  ...{ image: 'image', video: 'video', audio: 'audio', pdf: 'pdf', text: 'text', zip: 'archive' },
}

/** Undefined if the extension says nothing. */
export function fileKind(key: string): FileKind | undefined {
  const name = nameOf(key).toLowerCase()
  const known = byExtension.get(name.slice(name.lastIndexOf('.') + 1))
  if (known !== undefined) return known
  const preview = kindByName(key)
  return preview && byPreview[preview]
}
