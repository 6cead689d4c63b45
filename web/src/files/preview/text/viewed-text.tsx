import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { formatBytes, formatCount } from '../../../format/bytes.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { FailureNotice } from '../../../ui/failure-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { visibleName } from '../../entries/visible-name.ts'
import { readBytes } from '../../s3/bucket-client.ts'
import type { PreviewProps } from '../preview-props.ts'
import { VirtualTable } from '../virtual-table.tsx'
import { jsonProblem } from './json-items.ts'
import { JsonTree } from './json-tree.tsx'
import { MarkdownText } from './markdown-text.tsx'
import { NoView } from './no-view.tsx'
import { maxColumns, maxRows, tableRows } from './table-rows.ts'
import classes from './text.module.css'
import { decode, isText } from './text-decoding.ts'
import { type TextView, viewBytes } from './text-view.ts'

interface ViewedTextProps extends PreviewProps {
  readonly view: TextView
  readonly onSource: () => void
}

/** A text as a document, tree or table. */
export function ViewedText(props: ViewedTextProps) {
  const { bucket, file, details, fallback, view, onSource } = props
  const { data, error } = useQuery({
    queryKey: ['whole-text', bucket, file.key, details.etag],
    queryFn: async ({ signal }) => {
      const { etag, versionId } = details
      const address = { bucket, key: file.key, etag, versionId }
      const text = decode(await readBytes(address, { first: 0, last: viewBytes - 1 }, signal))
      return isText(text) ? text.replace(/^\ufeff/, '') : null
    },
    gcTime: 0,
  })
  if (error !== null) return <FailureNotice title={previewTexts.failure} error={error} />
  if (data === undefined) return <Loading label={previewTexts.loading} />
  if (data === null) return fallback
  switch (view) {
    case 'markdown':
      return <MarkdownText bucket={bucket} objectKey={file.key} text={data} onSource={onSource} />
    case 'json':
      return <JsonText text={data} onSource={onSource} />
    case 'table':
      return <TableText label={visibleName(file.name)} text={data} size={details.size} />
  }
}

interface JsonTextProps {
  readonly text: string
  readonly onSource: () => void
}

function JsonText({ text, onSource }: JsonTextProps) {
  const problem = useMemo(() => jsonProblem(text), [text])
  if (problem === undefined) return <JsonTree text={text} />
  return <NoView reason={previewTexts.text.noJson(problem)} onSource={onSource} />
}

interface TableTextProps {
  readonly label: string
  readonly text: string
  readonly size: number
}

function TableText({ label, text, size }: TableTextProps) {
  const isPart = size > viewBytes
  const { rows, hasMoreColumns, hasMoreRows } = useMemo(
    () => tableRows(text, isPart),
    [text, isPart],
  )
  const [head = [], ...rest] = rows
  const notes = [
    ...(hasMoreRows ? [previewTexts.text.firstRows(formatCount(maxRows))] : []),
    ...(isPart ? [previewTexts.text.rowsOf(formatBytes(viewBytes), formatBytes(size))] : []),
    ...(hasMoreColumns ? [previewTexts.text.firstColumns(formatCount(maxColumns))] : []),
  ]
  return (
    <>
      <VirtualTable label={previewTexts.text.tableOf(label)} head={head} rows={rest} />
      {notes.length > 0 && <div className={classes.note}>{notes.join('. ')}</div>}
    </>
  )
}
