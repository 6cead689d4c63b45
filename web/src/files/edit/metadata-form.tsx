import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { fileEditTexts } from '../../texts/file-edit.ts'
import { NameInput } from '../../ui/form-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { type EditedHeader, editedHeaders } from './metadata-change.ts'
import {
  type FieldDraft,
  headerProblem,
  type MetadataDraft,
  type RowDraft,
  rowProblem,
  rowsProblem,
  withRow,
} from './metadata-draft.ts'
import classes from './metadata-form.module.css'

interface MetadataFormProps {
  readonly draft: MetadataDraft
  /** Whether several files are edited. They keep everything that is not ticked here. */
  readonly isMany: boolean
  /** Whether the user has tried to save. Until then, an empty name is not an error. */
  readonly isTried: boolean
  readonly onChange: (draft: MetadataDraft) => void
}

const hints: Readonly<Record<EditedHeader, string>> = {
  'Content-Type': fileEditTexts.form.hint.type,
  'Cache-Control': fileEditTexts.form.hint.cache,
  'Content-Disposition': fileEditTexts.form.hint.disposition,
  'Content-Encoding': fileEditTexts.form.hint.encoding,
}

export function MetadataForm({ draft, isMany, isTried, onChange }: MetadataFormProps) {
  const { fields, rows } = draft
  const setField = (name: EditedHeader, field: FieldDraft) =>
    onChange({ ...draft, fields: { ...fields, [name]: field } })
  const setRow = (row: RowDraft) =>
    onChange({ ...draft, rows: rows.map((other) => (other.id === row.id ? row : other)) })
  const problem = rowsProblem(rows)
  return (
    <>
      {isMany && <Text size="sm">{fileEditTexts.form.many}</Text>}
      <SimpleGrid cols={{ base: 1, sm: isMany ? 1 : 2 }} spacing="md" verticalSpacing="sm">
        {editedHeaders.map((name) => (
          <HeaderField
            key={name}
            name={name}
            field={fields[name]}
            isMany={isMany}
            onChange={(field) => setField(name, field)}
          />
        ))}
      </SimpleGrid>
      <fieldset className={classes.rows}>
        <legend>{fileEditTexts.form.metadata}</legend>
        <Stack gap={8}>
          {rows.map((row) => (
            <MetadataRow
              key={row.id}
              row={row}
              problem={row.name === '' && !isTried ? undefined : rowProblem(row, rows)}
              isMany={isMany}
              onChange={setRow}
              onRemove={() => onChange({ ...draft, rows: rows.filter(({ id }) => id !== row.id) })}
            />
          ))}
          {problem !== undefined && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {problem}
            </Text>
          )}
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={16} />}
            className={classes.add ?? ''}
            onClick={() => onChange(withRow(draft))}
          >
            {fileEditTexts.form.add}
          </Button>
        </Stack>
      </fieldset>
    </>
  )
}

interface HeaderFieldProps {
  readonly name: EditedHeader
  readonly field: FieldDraft
  readonly isMany: boolean
  readonly onChange: (field: FieldDraft) => void
}

function HeaderField({ name, field, isMany, onChange }: HeaderFieldProps) {
  const { isChanged, value } = field
  // The first field takes the focus.
  const Field = name === editedHeaders[0] && !isMany ? NameInput : TextInput
  const input = (
    <Field
      {...(isMany ? { 'aria-label': name } : { label: name })}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      description={isMany ? fileEditTexts.form.emptyNone(hints[name]) : hints[name]}
      value={value}
      error={isChanged ? headerProblem(name, value) : undefined}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => onChange({ isChanged: true, value: event.currentTarget.value })}
    />
  )
  if (!isMany) return input
  return (
    <Stack gap={8}>
      <Checkbox
        label={fileEditTexts.form.change(name)}
        checked={isChanged}
        onChange={(event) => onChange({ value, isChanged: event.currentTarget.checked })}
      />
      {isChanged && input}
    </Stack>
  )
}

interface MetadataRowProps {
  readonly row: RowDraft
  readonly isTag?: boolean
  readonly problem: string | undefined
  readonly isMany: boolean
  readonly onChange: (row: RowDraft) => void
  readonly onRemove: () => void
}

export function MetadataRow(props: MetadataRowProps) {
  const { row, isTag = false, problem, isMany, onChange, onRemove } = props
  const { name, value, isRemoval } = row
  return (
    <Group
      gap={6}
      align="flex-start"
      className={classes.row ?? ''}
      role="group"
      aria-label={isTag ? fileEditTexts.form.tag(name) : fileEditTexts.form.line(name)}
    >
      {isMany && (
        <NativeSelect
          className={classes.what ?? ''}
          aria-label={fileEditTexts.form.what}
          data={[fileEditTexts.form.set, fileEditTexts.form.remove]}
          value={isRemoval ? fileEditTexts.form.remove : fileEditTexts.form.set}
          onChange={(event) =>
            onChange({ ...row, isRemoval: event.currentTarget.value === fileEditTexts.form.remove })
          }
        />
      )}
      <TextInput
        aria-label={fileEditTexts.form.name}
        placeholder={fileEditTexts.form.name}
        className={classes.cell ?? ''}
        value={name}
        error={problem}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
      />
      {!isRemoval && (
        <TextInput
          aria-label={fileEditTexts.form.value}
          placeholder={fileEditTexts.form.value}
          className={`${classes.cell} ${classes.value}`}
          value={value}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
        />
      )}
      <IconButton
        label={isTag ? fileEditTexts.form.removeTag(name) : fileEditTexts.form.removeLine(name)}
        size={36}
        onClick={onRemove}
      >
        <IconTrash size={18} />
      </IconButton>
    </Group>
  )
}
