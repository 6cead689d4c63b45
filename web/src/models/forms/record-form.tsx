import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { frameTexts } from '../../texts/frame.ts'
import { type RoutingChange, useChangeRouting } from '../routing-queries.ts'
import { type Draft, type FieldSpec, fieldOfError, shownFields } from './field-spec.ts'
import { RecordField } from './record-field.tsx'
import classes from './record-form.module.css'

interface RecordFormProps {
  /** The purpose of the form, for screen readers: "Edit Lab". */
  readonly label: string
  readonly fields: readonly FieldSpec[]
  readonly initial: Draft
  readonly submitLabel: string
  /** Returns the request to send. An ApiError is shown at the field it names. */
  readonly changeOf: (draft: Draft) => RoutingChange
  /** Called after saving or cancelling. */
  readonly onDone: () => void
}

/** A form built from field specifications. */
export function RecordForm(props: RecordFormProps) {
  const { label, fields, initial, submitLabel, changeOf, onDone } = props
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState(initial)
  const change = useChangeRouting()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (entered: Draft) => change(changeOf(entered)),
    onSuccess: onDone,
  })
  const shown = shownFields(fields, draft)
  const wrong = error instanceof ApiError ? fieldOfError(shown, error.field) : undefined
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus()
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(draft)
  }
  return (
    <form ref={form} aria-label={label} className={classes.form} onSubmit={submit}>
      <div className={classes.fields}>
        {shown.map((field) => (
          <RecordField
            key={field.name}
            field={field}
            value={draft[field.name] ?? ''}
            error={field.name === wrong ? error?.message : undefined}
            onChange={(value) => setDraft((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
      <Stack gap="sm">
        {error !== null && wrong === undefined && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <Group gap="xs">
          <Button type="submit" size="sm" loading={isPending}>
            {submitLabel}
          </Button>
          <Button variant="default" size="sm" onClick={onDone}>
            {frameTexts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
