import { SaxesParser } from 'saxes'
import type { XmlElement } from '../../web/src/files/s3/s3-failure.ts'

interface OpenElement extends XmlElement {
  readonly children: OpenElement[]
  textContent: string
}

/** As much of a browser's DOMParser as the web app reads of it. */
export function xmlTree(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true })
  const open: OpenElement[] = [{ localName: '', children: [], textContent: '' }]
  parser.on('opentag', ({ local }) => {
    const element = { localName: local, children: [], textContent: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  // An element's text is that of everything in it.
  parser.on('text', (piece) => {
    for (const element of open) element.textContent += piece
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(text).close()
  const [root] = open[0]?.children ?? []
  if (root === undefined) throw new Error('the document is empty')
  return root
}
