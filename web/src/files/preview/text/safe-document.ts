import purify, { type Config } from 'dompurify'
import { previewTexts } from '../../../texts/preview.ts'
import { nameOf, parentOf } from '../../entries/entry.ts'
import type { ObjectAddress } from '../../entries/object-address.ts'
import { locationPath } from '../../files-location.ts'
import { objectUrl } from '../../s3/bucket-client.ts'
import { linkedKey } from './linked-key.ts'

/** No forms, no frames, no styles: the content must not be able to imitate the dashboard. */
const allowed = {
  ALLOWED_TAGS: [
    ...'h1 h2 h3 h4 h5 h6 p br hr blockquote ul ol li dl dt dd pre code kbd samp var'.split(' '),
    ...'a img b strong i em s del ins u sub sup small mark abbr q cite details summary'.split(' '),
    ...'table caption thead tbody tfoot tr th td div span figure figcaption'.split(' '),
  ],
  ALLOWED_ATTR: 'href src alt title align start colspan rowspan open class'.split(' '),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // Returned in a document that loads nothing, until its addresses are checked.
  RETURN_DOM: true,
} satisfies Config & { readonly RETURN_DOM: true }

const embedded = /^data:image\/(?:png|jpeg|gif|webp);/i

/** Maximum pictures that one text can load. */
const maxPictures = 100

interface SafeDocument {
  readonly nodes: readonly Node[]
  /** Loads pictures of the same bucket. */
  readonly loadPictures: (signal: AbortSignal) => void
}

/**
 * The nodes of untrusted HTML, without anything that runs or is loaded from another server: a picture on another
 * server becomes a link.
 *
 * @param from the object that contains it; without it, relative addresses lead nowhere
 */
export function safeDocument(html: string, from: ObjectAddress | undefined): SafeDocument {
  // With RETURN_DOM, this is the <body> of that document.
  const body = purify.sanitize(html, allowed) as HTMLElement
  for (const element of body.querySelectorAll('[class]')) {
    if (element.localName !== 'code') element.removeAttribute('class')
  }
  for (const link of body.querySelectorAll('a')) leadTo(link, link.getAttribute('href'), from)
  const pictures: (readonly [HTMLImageElement, ObjectAddress])[] = []
  for (const picture of body.querySelectorAll('img')) {
    const address = picture.getAttribute('src') ?? ''
    if (embedded.test(address)) continue
    const key = from && linkedKey(address, from.key)
    picture.removeAttribute('src')
    // Without this attribute, a screen reader reads the address aloud.
    picture.setAttribute('alt', picture.alt)
    if (from !== undefined && key !== undefined)
      pictures.push([picture, { bucket: from.bucket, key }])
    else picture.replaceWith(linkInstead(picture, address, from))
  }
  const load = async ([picture, object]: readonly [HTMLImageElement, ObjectAddress]) => {
    picture.addEventListener('error', () =>
      picture.replaceWith(previewTexts.text.missingPicture(object.key)),
    )
    picture.src = await objectUrl(object)
  }
  return {
    nodes: [...body.childNodes],
    loadPictures(signal) {
      const loadAll = async () => {
        for (const picture of pictures.slice(0, maxPictures)) {
          if (!signal.aborted) await load(picture)
        }
      }
      // Without an address, a picture shows its alternative text.
      void loadAll().catch(() => undefined)
    },
  }
}

function linkInstead(
  picture: HTMLImageElement,
  address: string,
  from: ObjectAddress | undefined,
): Element {
  const link = picture.ownerDocument.createElement('a')
  link.textContent = previewTexts.text.picture(picture.alt === '' ? address : picture.alt)
  leadTo(link, address, from)
  return link
}

/** Opens links in another tab, and links to other files of the bucket in the file browser. */
function leadTo(
  link: HTMLAnchorElement,
  address: string | null,
  from: ObjectAddress | undefined,
): void {
  link.removeAttribute('href')
  if (address === null || address.startsWith('#')) return
  const target = from && linkedKey(address, from.key)
  const isWeb = /^(?:https?:|mailto:)/i.test(address)
  if (target === undefined && !isWeb) return
  link.href =
    from === undefined || target === undefined
      ? address
      : `/-${locationPath({ bucket: from.bucket, prefix: parentOf(target), filter: '', view: nameOf(target) })}`
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
}
