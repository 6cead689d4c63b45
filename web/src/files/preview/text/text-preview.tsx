import { SegmentedControl } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { previewTexts } from '../../../texts/preview.ts'
import { Loading } from '../../../ui/loading.tsx'
import type { PreviewProps } from '../preview-props.ts'
import { SourceText } from './source-text.tsx'
import classes from './text.module.css'
import { type TextView, textView } from './text-view.ts'

const ViewedText = lazy(async () => {
  const { ViewedText } = await import('./viewed-text.tsx')
  return { default: ViewedText }
})

const viewNames: Readonly<Record<TextView, string>> = {
  markdown: previewTexts.text.document,
  json: previewTexts.text.tree,
  table: previewTexts.text.table,
}

/** A text in the view for its kind, or its source. */
export function TextPreview(props: PreviewProps) {
  const { file, details } = props
  const view = textView(file.key, details.contentType, details.size)
  const [isSource, setIsSource] = useState(false)
  if (view === undefined) return <SourceText {...props} />
  return (
    <div className={classes.sheet}>
      <SegmentedControl
        aria-label={previewTexts.text.showAs}
        size="xs"
        className={classes.switch ?? ''}
        value={isSource ? 'source' : 'view'}
        onChange={(value) => setIsSource(value === 'source')}
        data={[
          { value: 'view', label: viewNames[view] },
          { value: 'source', label: previewTexts.text.source },
        ]}
      />
      {isSource ? (
        <SourceText {...props} />
      ) : (
        <Suspense fallback={<Loading label={previewTexts.loading} />}>
          <ViewedText {...props} view={view} onSource={() => setIsSource(true)} />
        </Suspense>
      )}
    </div>
  )
}
