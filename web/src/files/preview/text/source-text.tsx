import { Group } from '@mantine/core'
import {
  IconChevronLeft,
  IconChevronLeftPipe,
  IconChevronRight,
  IconChevronRightPipe,
} from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { formatBytes, formatCount } from '../../../format/bytes.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { FailureNotice } from '../../../ui/failure-notice.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { visibleName } from '../../entries/visible-name.ts'
import { readBytes } from '../../s3/bucket-client.ts'
import type { PreviewProps } from '../preview-props.ts'
import classes from './text.module.css'
import { isText, type WideEncoding, wideEncoding } from './text-decoding.ts'
import { pageCount, pageRange, pageText } from './text-pages.ts'
import { languageOf } from './text-view.ts'
import './code-colors.css'

/** A text page by page, of any length. Tags in it are shown, not interpreted. */
export function SourceText({ bucket, file, details, fallback }: PreviewProps) {
  const { size, etag, versionId } = details
  const [page, setPage] = useState(0)
  /** The encoding of all pages. It is known from the first page, which is read first. */
  const wide = useRef<WideEncoding>(undefined)
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['text', bucket, file.key, etag, page],
    queryFn: async ({ signal }) => {
      const address = { bucket, key: file.key, etag, versionId }
      const bytes = await readBytes(address, pageRange(page, size), signal)
      if (page === 0) wide.current = wideEncoding(bytes)
      const text = pageText(bytes, page, size, wide.current)
      return page > 0 || isText(text) ? { text, page } : null
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  if (error !== null) return <FailureNotice title={previewTexts.failure} error={error} />
  if (data === undefined) return <Loading label={previewTexts.loading} />
  if (data === null) return fallback
  return (
    <div className={classes.sheet}>
      <section
        key={data.page}
        className={classes.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
        tabIndex={0}
        aria-label={previewTexts.text.of(visibleName(file.name))}
        aria-busy={isPlaceholderData}
      >
        <Code text={data.text} language={languageOf(file.key)} />
      </section>
      {size > 0 && pageCount(size) > 1 && <Pager page={page} size={size} onPage={setPage} />}
    </div>
  )
}

interface CodeProps {
  readonly text: string
  readonly language: string | undefined
}

function Code({ text, language }: CodeProps) {
  const pre = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const node = pre.current?.firstChild
    if (!(node instanceof Text) || language === undefined) return
    const gone = new AbortController()
    // The text can also be read without colours.
    void colours([{ node, text, language }], gone.signal).catch(() => undefined)
    return () => gone.abort()
  }, [text, language])
  return <pre ref={pre}>{text}</pre>
}

const colours: typeof import('./highlight-code.ts')['highlightCode'] = async (...parameters) =>
  (await import('./highlight-code.ts')).highlightCode(...parameters)

interface PagerProps {
  readonly page: number
  readonly size: number
  readonly onPage: (page: number) => void
}

function Pager({ page, size, onPage }: PagerProps) {
  const last = pageCount(size) - 1
  const steps = [
    [previewTexts.text.firstPage, 0, IconChevronLeftPipe],
    [previewTexts.text.previousPage, page - 1, IconChevronLeft],
    [previewTexts.text.nextPage, page + 1, IconChevronRight],
    [previewTexts.text.lastPage, last, IconChevronRightPipe],
  ] as const
  const buttons = steps.map(([label, to, Icon]) => (
    <IconButton
      key={label}
      label={label}
      disabled={to < 0 || to > last || to === page}
      onClick={() => onPage(to)}
    >
      <Icon size={18} />
    </IconButton>
  ))
  return (
    <Group gap={4} justify="center" wrap="nowrap" className={classes.note ?? ''}>
      {buttons.slice(0, 2)}
      <span role="status">
        {previewTexts.text.page(formatCount(page + 1), formatCount(last + 1), formatBytes(size))}
      </span>
      {buttons.slice(2)}
    </Group>
  )
}
