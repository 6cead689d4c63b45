import {
  Autocomplete,
  Checkbox,
  type InputWrapperProps,
  NativeSelect,
  PasswordInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { modelsTexts } from '../../texts/models.ts'
import type { FieldSpec } from './field-spec.ts'
import classes from './record-dialog.module.css'

interface RecordFieldProps {
  readonly field: FieldSpec
  /** It takes the focus when the dialog opens. */
  readonly isFirst: boolean
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

const suggestionsShown = 50

/** Descriptions go below, so that controls side by side are aligned. */
const order = [
  'label',
  'input',
  'error',
  'description',
] satisfies InputWrapperProps['inputWrapperOrder']

/** The control of one field. */
export function RecordField({ field, isFirst, value, error, onChange }: RecordFieldProps) {
  const { label, description, placeholder = '', isRequired = false, options = [] } = field
  const given = {
    ...{ label, description, error, required: isRequired, inputWrapperOrder: order },
    ...(isFirst && { 'data-autofocus': true }),
  }
  const onText = (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(event.currentTarget.value)
  switch (field.kind) {
    case 'text':
      return <TextInput {...given} {...{ value, placeholder }} onChange={onText} />
    case 'select':
      return <NativeSelect {...given} value={value} data={[...options]} onChange={onText} />
    case 'suggested':
      return (
        <Autocomplete
          {...given}
          {...{ value, placeholder, onChange }}
          data={[...options]}
          limit={suggestionsShown}
        />
      )
    case 'secret':
      return (
        <PasswordInput
          {...given}
          {...{ value, placeholder }}
          onChange={onText}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': modelsTexts.showKey, tabIndex: 0 }}
        />
      )
    case 'lines':
      return (
        <Textarea
          {...given}
          {...{ value, placeholder }}
          className={classes.wide ?? ''}
          onChange={onText}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
        />
      )
    case 'check':
      return (
        <Checkbox
          label={label}
          description={description}
          error={error}
          checked={value === 'yes'}
          onChange={(event) => onChange(event.currentTarget.checked ? 'yes' : '')}
        />
      )
  }
}
