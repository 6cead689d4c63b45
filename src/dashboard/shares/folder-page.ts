import { fileKind } from '../../platform/text/file-kind.ts'
import type { Entry, ObjectEntry } from '../../storage/drives/listed-entry.ts'
import { kindIcon } from './kind-icon.ts'
import { includes, type Share, sharesBase } from './share.ts'
import {
  dayMarkup,
  factsOf,
  type Html,
  html,
  type SharePage,
  thumbnailAddress,
} from './share-pages.ts'
import { nameOf, shownName } from './share-texts.ts'
import type { VisitorTexts } from './texts/en.ts'
import { sizeText } from './texts/visitor-texts.ts'

interface SharedFolder {
  /** Relative to the shared folder. */
  readonly path: string
  readonly entries: readonly Entry[]
  /** The last key of the page, if there are more. */
  readonly next: string | undefined
}

/** How files are shown, by their names: the content type is known only when a file is opened. */
const views: readonly (readonly [view: string, names: RegExp])[] = [
  ['image', /\.(?:png|jpe?g|gif|webp|avif|bmp)$/i],
  ['video', /\.(?:mp4|m4v|webm|mov|ogv)$/i],
  ['audio', /\.(?:mp3|m4a|oga|ogg|opus|wav|flac|aac)$/i],
  ['pdf', /\.pdf$/i],
]

/** Pictures that browsers do not show, but have thumbnails (web/src/files/thumbnails/thumbnail-kind.ts). */
const onlyThumbnails = /\.(?:tiff?|dng|cr2|nef|arw|hei[cf])$/i
const picturedViews: ReadonlySet<string | undefined> = new Set(['image', 'video', 'pdf'])

interface ShownEntry {
  readonly path: string
  readonly name: string
}

interface ShownFile extends ShownEntry, Pick<ObjectEntry, 'size' | 'modifiedAtMs' | 'etag'> {
  /** Undefined: it is only downloaded. */
  readonly view: string | undefined
}

/** The page of a link to a folder, of a folder in it, or of chosen files. */
export function folderPage(
  texts: VisitorTexts,
  token: string,
  share: Share,
  folder: SharedFolder,
): SharePage {
  const address = `${sharesBase}${token}`
  const shown = (key: string) => ({
    path: key.slice(share.path.length),
    name: shownName(nameOf(key)),
  })
  const folders: ShownEntry[] = []
  const files: ShownFile[] = []
  for (const entry of inNaturalOrder(folder.entries, texts)) {
    if (entry.kind === 'folder') folders.push(shown(entry.key))
    // If uses are limited, what the page shows would be a download that is not counted.
    else
      files.push({
        ...entry,
        ...shown(entry.key),
        view: share.maxUses === 0 ? viewOf(entry.key) : undefined,
      })
  }
  const isTile = ({ view, path }: ShownFile) =>
    picturedViews.has(view) || (share.maxUses === 0 && onlyThumbnails.test(path))
  const [tiles, rows] = [files.filter(isTile), files.filter((file) => !isTile(file))]
  const isChosen = folder.path === '' && share.items.length > 0
  const name = titleOf(texts, share, folder)
  const isEmpty = folder.entries.length === 0
  return {
    title: name,
    body: html`<p class="kind">${isChosen ? texts.sharedFiles : texts.sharedFolder}</p>
${folder.path !== '' && crumbs(texts, address, share, folder.path)}
<h1><bdi>${name}</bdi></h1>
<p class="facts">${sumOf(texts, folders, files, { isChosen, hasMore: folder.next !== undefined })}${factsOf(texts, share)}</p>
${!isEmpty && html`<p class="actions"><a class="button" href="${address}/zip?${queryOf({ path: folder.path })}" download>${texts.downloadAll}</a></p>`}
${folders.length > 0 && html`<ul class="entries">${folders.map((entry) => folderRow(address, entry))}</ul>`}
${tiles.length > 0 && html`<ul class="gallery">${tiles.map((file) => tile(texts, address, file))}</ul>`}
${rows.length > 0 && html`<ul class="entries">${rows.map((file) => fileRow(texts, address, file))}</ul>`}
${folder.next !== undefined && html`<p class="actions"><a class="button" href="${address}?${queryOf({ path: folder.path, after: folder.next })}">${texts.nextPage}</a></p>`}`,
  }
}

/** `photo-2` before `photo-10`, within a page: pages follow the order of keys, as the drive lists them. */
function inNaturalOrder(entries: readonly Entry[], { locale }: VisitorTexts): readonly Entry[] {
  const collator = collators.get(locale) ?? new Intl.Collator(locale, { numeric: true })
  collators.set(locale, collator)
  return entries.toSorted((a, b) => collator.compare(nameOf(a.key), nameOf(b.key)))
}

/** Created on first use, because they would add milliseconds to every start. */
const collators = new Map<string, Intl.Collator>()

function viewOf(key: string): string | undefined {
  return views.find(([, names]) => names.test(key))?.[0]
}

/** The sender's title is that of the shared folder, not of folders in it. */
function titleOf(
  texts: VisitorTexts,
  share: Share,
  { path, entries }: Pick<SharedFolder, 'path' | 'entries'>,
): string {
  if (path !== '') return shownName(nameOf(path))
  if (share.title !== '') return shownName(share.title)
  if (share.items.length === 0) return topOf(texts, share)
  if (share.items.length === 1) return shownName(nameOf(share.items[0] ?? ''))
  const isAnyFolder = entries.some(({ kind }) => kind === 'folder')
  return (isAnyFolder ? texts.items : texts.files)(entries.length)
}

function topOf(texts: VisitorTexts, share: Share): string {
  return shownName(
    share.title ||
      (share.items.length > 0 ? texts.sharedFiles : nameOf(share.path) || share.bucket),
  )
}

/** "2 folders, 3 files · 12.5 MiB" */
function sumOf(
  texts: VisitorTexts,
  folders: readonly ShownEntry[],
  files: readonly ShownFile[],
  { isChosen, hasMore }: { readonly isChosen: boolean; readonly hasMore: boolean },
): string {
  if (hasMore) return texts.firstPage
  const counts = [
    ...(folders.length > 0 ? [texts.folders(folders.length)] : []),
    ...(files.length > 0 ? [texts.files(files.length)] : []),
  ]
  const size = files.reduce((sum, file) => sum + file.size, 0)
  if (counts.length === 0) return isChosen ? texts.filesGone : texts.emptyFolder
  return counts.join(', ') + (files.length > 0 ? ` · ${sizeText(size, texts)}` : '')
}

function folderRow(address: string, { path, name }: ShownEntry): Html {
  return html`<li><a href="${address}?${queryOf({ path })}">${kindIcon('folder')}<bdi>${name}</bdi></a></li>`
}

function fileRow(
  texts: VisitorTexts,
  address: string,
  { path, name, size, modifiedAtMs, view }: ShownFile,
): Html {
  const source = `${address}/file?${queryOf({ path })}`
  const label = html`${kindIcon(fileKind(path))}<bdi>${name}</bdi>`
  const link =
    view === undefined
      ? html`<a href="${source}" download>${label}</a>`
      : html`<a href="${source}&inline" target="_blank" rel="noopener" data-view="${view}">${label}</a>`
  return html`<li>${link} <span>${dayMarkup(texts, modifiedAtMs)} · ${sizeText(size, texts)}</span></li>`
}

function tile(
  texts: VisitorTexts,
  address: string,
  { path, name, size, etag, view }: ShownFile,
): Html {
  const source = `${address}/file?${queryOf({ path })}`
  const picture = thumbnailAddress(address, { path, etag })
  const shown = html`<img src="${picture}" alt="${name}" width="256" height="256" loading="lazy" decoding="async">`
  const link =
    view === undefined
      ? html`<a class="image" href="${source}" download>${shown}</a>`
      : html`<a class="${view}" href="${source}&inline" target="_blank" rel="noopener" data-view="${view}" data-name="${name}">${shown}</a>`
  return html`<li>${link}
<a class="label" href="${source}" download><bdi>${name}</bdi> <span>${sizeText(size, texts)}</span></a></li>`
}

/** Links to the parent folders, up to the shared folder. */
function crumbs(texts: VisitorTexts, address: string, share: Share, path: string): Html {
  const above = path.split('/').slice(0, -2)
  const links = above.flatMap((segment, index) => {
    const folder = `${above.slice(0, index + 1).join('/')}/`
    // Folders above a chosen one are not shared.
    if (!includes(share, folder)) return []
    return [
      html` / <a href="${address}?${queryOf({ path: folder })}"><bdi>${shownName(segment)}</bdi></a>`,
    ]
  })
  return html`<nav class="crumbs" aria-label="${texts.parents}"><a href="${address}"><bdi>${topOf(texts, share)}</bdi></a>${links}</nav>`
}

function queryOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString()
}
