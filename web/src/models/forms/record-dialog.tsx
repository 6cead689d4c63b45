import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type RoutingChange, useChangeRouting } from '../routing-queries.ts'
import { type Draft, type FieldSpec, fieldOfError, shownFields } from './field-spec.ts'
import classes from './record-dialog.module.css'
import { RecordField } from './record-field.tsx'

interface RecordDialogProps {
  /** "Edit Lab" */
  readonly title: string
  readonly fields: readonly FieldSpec[]
  readonly initial: Draft
  /** The label of the submit button. */
  readonly action: string
  /** Returns the request to send. An ApiError is shown at the field it names. */
  readonly changeOf: (draft: Draft) => RoutingChange
  /** Called after saving or cancelling. */
  readonly onDone: () => void
}

/** A dialog built from field specifications. */
export function RecordDialog(props: RecordDialogProps) {
  const { title, fields, initial, action, changeOf, onDone } = props
  const [draft, setDraft] = useState(initial)
  const change = useChangeRouting()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (entered: Draft) => change(changeOf(entered)),
    onSuccess: onDone,
  })
  const shown = shownFields(fields, draft)
  const wrong = error instanceof ApiError ? fieldOfError(shown, error.field) : undefined
  return (
    <FormDialog
      title={title}
      size="lg"
      action={action}
      isBusy={isPending}
      problem={error === null || wrong !== undefined ? undefined : error.message}
      onSubmit={() => mutate(draft)}
      onClose={onDone}
    >
      <div className={classes.fields}>
        {shown.map((field, index) => (
          <RecordField
            key={field.name}
            field={field}
            isFirst={index === 0}
            value={draft[field.name] ?? ''}
            error={field.name === wrong ? error?.message : undefined}
            onChange={(value) => setDraft((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
    </FormDialog>
  )
}
