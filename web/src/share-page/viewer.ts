import { pageTexts } from './page-texts.ts'

/** The picture, video, audio or PDF file of a link, over the whole page. */

const swipePx = 50

/** Shows what these links lead to in a dialog, from which the others can be reached. */
export function beginViewer(links: NodeListOf<HTMLAnchorElement>): void {
  if (links.length === 0) return
  const viewer = new Viewer([...links])
  for (const [index, link] of links.entries()) {
    link.addEventListener('click', (event) => {
      // Another tab or window is wanted.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      // Phones have no PDF viewer in pages.
      if (link.dataset.view === 'pdf' && !navigator.pdfViewerEnabled) return
      event.preventDefault()
      viewer.open(index)
    })
  }
}

class Viewer {
  readonly #links: readonly HTMLAnchorElement[]
  readonly #dialog = document.createElement('dialog')
  readonly #name = document.createElement('bdi')
  readonly #place = document.createElement('span')
  readonly #download = document.createElement('a')
  readonly #stage = document.createElement('div')
  #index = 0

  constructor(links: readonly HTMLAnchorElement[]) {
    this.#links = links
    const bar = document.createElement('header')
    this.#download.textContent = pageTexts.download
    this.#download.download = ''
    this.#name.className = 'name'
    this.#place.className = 'place'
    this.#stage.className = 'stage'
    bar.append(this.#name, this.#place, this.#download)
    bar.append(button('close', '✕', () => history.back()))
    this.#dialog.className = 'viewer'
    this.#dialog.append(bar, this.#stage)
    if (links.length > 1) {
      this.#dialog.append(
        button('previous', '‹', () => this.#step(-1)),
        button('next', '›', () => this.#step(1)),
      )
    }
    this.#listen()
    document.body.append(this.#dialog)
  }

  open(index: number): void {
    // The Back button of a phone closes the viewer, not the page.
    history.pushState('viewer', '')
    this.#show(index)
    this.#dialog.showModal()
  }

  #listen(): void {
    addEventListener('popstate', () => {
      this.#dialog.close()
      this.#links[this.#index]?.focus()
    })
    this.#dialog.addEventListener('close', () => this.#stage.replaceChildren())
    this.#dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      history.back()
    })
    this.#dialog.addEventListener('keydown', ({ key, target }) => {
      // The keys of a video or audio file seek in it.
      if (target instanceof HTMLMediaElement) return
      if (key === 'ArrowLeft') this.#step(-1)
      if (key === 'ArrowRight') this.#step(1)
    })
    let startX = 0
    this.#stage.addEventListener('touchstart', ({ touches }) => {
      startX = touches.length === 1 ? (touches[0]?.clientX ?? 0) : Number.NaN
    })
    this.#stage.addEventListener('touchend', ({ changedTouches }) => {
      const moved = (changedTouches[0]?.clientX ?? 0) - startX
      if (Math.abs(moved) > swipePx) this.#step(moved > 0 ? -1 : 1)
    })
  }

  #step(by: number): void {
    this.#show((this.#index + by + this.#links.length) % this.#links.length)
  }

  #show(index: number): void {
    const link = this.#links[index]
    if (link === undefined) return
    this.#index = index
    const name = link.dataset.name ?? link.textContent?.trim() ?? ''
    this.#dialog.ariaLabel = name
    this.#name.textContent = name
    this.#place.textContent = pageTexts.place(index + 1, this.#links.length)
    this.#download.href = link.href.replace(/[?&]inline$/, '')
    this.#stage.replaceChildren(shown(link.dataset.view, link.href, name))
  }
}

function shown(view: string | undefined, source: string, name: string): HTMLElement {
  if (view === 'image')
    return Object.assign(document.createElement('img'), { src: source, alt: name })
  if (view === 'pdf') {
    return Object.assign(document.createElement('iframe'), { src: source, title: name })
  }
  const media = document.createElement(view === 'video' ? 'video' : 'audio')
  return Object.assign(media, { src: source, controls: true, autoplay: true, ariaLabel: name })
}

function button(
  name: 'close' | 'previous' | 'next',
  text: string,
  onPress: () => void,
): HTMLButtonElement {
  const made = document.createElement('button')
  Object.assign(made, {
    type: 'button',
    ariaLabel: pageTexts[name],
    textContent: text,
    className: name,
  })
  made.addEventListener('click', onPress)
  return made
}
