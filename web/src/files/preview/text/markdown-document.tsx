import { Typography } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ObjectAddress } from '../../entries/object-address.ts'
import { highlightCode } from './highlight-code.ts'
import { inThread } from './in-thread.ts'
import { safeDocument } from './safe-document.ts'
import classes from './text.module.css'
import './code-colors.css'

interface MarkdownDocumentProps {
  readonly text: string
  /** The object that relative addresses start from; without it they lead nowhere. */
  readonly from?: ObjectAddress
  /** Shown until the document is ready. */
  readonly pending?: ReactNode
  readonly onProblem?: (reason: string) => void
}

/** Markdown as a document. */
export function MarkdownDocument({ text, from, pending, onProblem }: MarkdownDocumentProps) {
  const place = useRef<HTMLDivElement>(null)
  const [isReady, setIsReady] = useState(false)
  const { bucket, key } = from ?? {}
  useEffect(() => {
    const gone = new AbortController()
    const { signal } = gone
    const show = async () => {
      const html = await inThread('markdown', text, signal)
      const address = bucket === undefined || key === undefined ? undefined : { bucket, key }
      const { nodes, loadPictures } = safeDocument(html, address)
      if (signal.aborted) return
      place.current?.replaceChildren(...nodes)
      setIsReady(true)
      loadPictures(signal)
      const blocks = [...(place.current?.querySelectorAll('pre code') ?? [])].flatMap(codeIn)
      // The code can also be read without colours.
      if (blocks.length > 0) void highlightCode(blocks, signal).catch(() => undefined)
    }
    show().catch((error: Error) => {
      if (!signal.aborted) onProblem?.(error.message)
    })
    return () => gone.abort()
  }, [bucket, key, text, onProblem])
  return (
    <Typography className={classes.document ?? ''}>
      {!isReady && pending}
      <div ref={place} />
    </Typography>
  )
}

function codeIn(element: Element) {
  const node = element.firstChild
  const language = /\blanguage-([\w+#-]+)/.exec(element.className)?.[1]
  if (!(node instanceof Text) || language === undefined) return []
  return [{ node, text: node.data, language: language.toLowerCase() }]
}
