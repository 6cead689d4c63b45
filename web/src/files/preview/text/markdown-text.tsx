import { useState } from 'react'
import { previewTexts } from '../../../texts/preview.ts'
import { MarkdownDocument } from './markdown-document.tsx'
import { NoView } from './no-view.tsx'
import classes from './text.module.css'

interface MarkdownTextProps {
  readonly bucket: string
  readonly objectKey: string
  readonly text: string
  readonly onSource: () => void
}

/** A file of Markdown as a document, or why it cannot be one. */
export function MarkdownText({ bucket, objectKey, text, onSource }: MarkdownTextProps) {
  const [problem, setProblem] = useState<string>()
  if (problem !== undefined) return <NoView reason={problem} onSource={onSource} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <section className={classes.scroller} tabIndex={0} aria-label={previewTexts.text.document}>
      <MarkdownDocument text={text} from={{ bucket, key: objectKey }} onProblem={setProblem} />
    </section>
  )
}
