import { nameOf } from './entry.ts'

export type PreviewKind = 'image' | 'video' | 'audio' | 'pdf' | 'text' | 'zip'

/** Kind and type by extension, for objects with a generic type. */
const byExtension: Readonly<Record<string, readonly [PreviewKind, string]>> = {
  ...media('image', 'image/', 'png gif webp avif bmp'),
  jpg: ['image', 'image/jpeg'],
  jpeg: ['image', 'image/jpeg'],
  svg: ['image', 'image/svg+xml'],
  ico: ['image', 'image/x-icon'],
  ...media('image', 'image/', 'heic heif tiff'),
  tif: ['image', 'image/tiff'],
  dng: ['image', 'image/x-adobe-dng'],
  cr2: ['image', 'image/x-canon-cr2'],
  nef: ['image', 'image/x-nikon-nef'],
  arw: ['image', 'image/x-sony-arw'],
  ...media('video', 'video/', 'mp4 webm ogv'),
  m4v: ['video', 'video/mp4'],
  mov: ['video', 'video/quicktime'],
  mkv: ['video', 'video/x-matroska'],
  mp3: ['audio', 'audio/mpeg'],
  m4a: ['audio', 'audio/mp4'],
  oga: ['audio', 'audio/ogg'],
  opus: ['audio', 'audio/ogg'],
  ogg: ['audio', 'audio/ogg'],
  ...media('audio', 'audio/', 'wav flac aac'),
  pdf: ['pdf', 'application/pdf'],
  ...all('zip', 'application/zip', 'zip jar war apk cbz whl xpi nupkg'),
  ...all(
    'text',
    'text/plain',
    'txt md log csv tsv json jsonl ndjson xml yaml yml toml ini conf cfg env properties',
  ),
  ...all('text', 'text/plain', 'html htm xhtml css js mjs cjs ts tsx jsx map vue svelte'),
  ...all(
    'text',
    'text/plain',
    'py rb go rs c h cc cpp hpp cs java kt swift php pl lua r sql sh bash zsh ps1 bat',
  ),
  ...all(
    'text',
    'text/plain',
    'markdown geojson webmanifest diff patch tex srt vtt gitignore dockerfile makefile lock pem crt asc',
  ),
}

const zipType = /^application\/(x-)?(zip|zip-compressed|java-archive)$/

/** Types that say nothing. `video/mp2t` is often set for TypeScript files, and no browser plays it. */
const typeless = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'video/mp2t'])

/** Text types outside `text/*`. */
const textType =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-sh|x-ndjson|yaml|x-yaml|toml|sql|graphql|xhtml\+xml))|[+/](json|xml)$/

/** SVG is shown in an <img>, where its scripts do not run; HTML is shown as source. */
export function previewKind(key: string, contentType: string): PreviewKind | undefined {
  const type = bareType(contentType)
  if (typeless.has(type)) return kindByName(key)
  const family = type.slice(0, type.indexOf('/'))
  if (family === 'image' || family === 'video' || family === 'audio') return family
  if (type === 'application/pdf') return 'pdf'
  if (zipType.test(type)) return 'zip'
  return textType.test(type) ? 'text' : undefined
}

/**
 * The type to request instead of a generic one; undefined: keep the type of the object. Never a
 * type that a browser runs: texts are fetched, not opened.
 */
export function previewType(key: string, contentType: string): string | undefined {
  if (!typeless.has(bareType(contentType))) return undefined
  const [kind, type] = ofExtension(key) ?? []
  return kind === 'text' || kind === 'zip' ? undefined : type
}

/** The likely preview kind, judged by the name. */
export function kindByName(key: string): PreviewKind | undefined {
  return ofExtension(key)?.[0]
}

function bareType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

function ofExtension(key: string): readonly [PreviewKind, string] | undefined {
  const name = nameOf(key).toLowerCase()
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined
}

function media(kind: PreviewKind, family: string, extensions: string) {
  return Object.fromEntries(
    extensions.split(' ').map((extension) => [extension, [kind, family + extension] as const]),
  )
}

function all(kind: PreviewKind, type: string, extensions: string) {
  return Object.fromEntries(
    extensions.split(' ').map((extension) => [extension, [kind, type] as const]),
  )
}
