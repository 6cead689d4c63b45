import { Typography } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { previewTexts } from '../../../texts/preview.ts'
import { highlightCode } from './highlight-code.ts'
import { inThread } from './in-thread.ts'
import { NoView } from './no-view.tsx'
import { safeDocument } from './safe-document.ts'
import classes from './text.module.css'
import './code-colors.css'

interface MarkdownTextProps {
  readonly bucket: string
  readonly objectKey: string
  readonly text: string
  readonly onSource: () => void
}

/** Markdown as a document. */
export function MarkdownText({ bucket, objectKey, text, onSource }: MarkdownTextProps) {
  const place = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const gone = new AbortController()
    const { signal } = gone
    const show = async () => {
      const html = await inThread('markdown', text, signal)
      const { nodes, loadPictures } = safeDocument(html, { bucket, key: objectKey })
      if (signal.aborted) return
      place.current?.replaceChildren(...nodes)
      loadPictures(signal)
      const blocks = [...(place.current?.querySelectorAll('pre code') ?? [])].flatMap(codeIn)
      // The code can also be read without colours.
      if (blocks.length > 0) void highlightCode(blocks, signal).catch(() => undefined)
    }
    show().catch((error: Error) => {
      if (!signal.aborted) setProblem(error.message)
    })
    return () => gone.abort()
  }, [bucket, objectKey, text])
  if (problem !== undefined) return <NoView reason={problem} onSource={onSource} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <section className={classes.scroller} tabIndex={0} aria-label={previewTexts.text.document}>
      <Typography className={classes.document ?? ''}>
        <div ref={place} />
      </Typography>
    </section>
  )
}

function codeIn(element: Element) {
  const node = element.firstChild
  const language = /\blanguage-([\w+#-]+)/.exec(element.className)?.[1]
  if (!(node instanceof Text) || language === undefined) return []
  return [{ node, text: node.data, language: language.toLowerCase() }]
}
