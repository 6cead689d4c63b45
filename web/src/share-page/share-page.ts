import { beginDrop } from './drop.ts'
import { beginGallery } from './gallery.ts'
import { pageLocale } from './page-texts.ts'
import { beginViewer } from './viewer.ts'

/** What scripts add to the page of a share, which the gateway writes: src/dashboard/shares/share-pages.ts. */

showLocalTimes()
showFrames()
beginGallery(document.querySelectorAll<HTMLImageElement>('.gallery img'))
beginViewer(document.querySelectorAll<HTMLAnchorElement>('a[data-view]'))
const form = document.querySelector<HTMLFormElement>('form[data-drop]')
if (form !== null) beginDrop(form)

/** Replaces times in UTC by those of the visitor, in the words of the page. */
function showLocalTimes(): void {
  const moment = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'long', timeStyle: 'short' })
  const day = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium' })
  for (const time of document.querySelectorAll('time')) {
    const format = time.dataset.day === undefined ? moment : day
    time.textContent = format.format(new Date(time.dateTime))
  }
}

/** Shows a PDF in the page, if the browser has a viewer: phones have none, and would download it. */
function showFrames(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-frame]')) {
    if (!navigator.pdfViewerEnabled) return
    const frame = document.createElement('iframe')
    frame.src = place.dataset.frame ?? ''
    frame.title = place.dataset.name ?? ''
    place.before(frame)
  }
}
