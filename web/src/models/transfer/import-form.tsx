import { Alert, Button, FileInput, Group, Radio, Stack } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ImportAnswer } from '../../../../src/models/routing/import/import-report.ts'
import type { RoutingAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { ApiError } from '../../api/api-error.ts'
import { request } from '../../api/client.ts'
import { formatBytes } from '../../format/bytes.ts'
import { modelsTexts } from '../../texts/models.ts'
import { routingPath, useChangeRouting } from '../routing-queries.ts'
import { maxFileBytes, readImportFile } from './import-file.ts'
import { ImportReport } from './import-report.tsx'

type Mode = ImportAnswer['mode']

/** Imports a 9router file or a Bucketry export, all or nothing. */
export function ImportForm() {
  const [file, setFile] = useState<File | null>(null)
  const [mode, setMode] = useState<Mode>('merge')
  const { mutate, isPending, error, data, reset } = useImport()
  const choose = (chosen: File | null) => {
    setFile(chosen)
    reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file !== null) mutate({ file, mode })
  }
  return (
    <form onSubmit={submit} aria-label={modelsTexts.transfer.import}>
      <Stack gap="sm" align="flex-start">
        <FileInput
          w="100%"
          maw={420}
          label={modelsTexts.transfer.file}
          description={modelsTexts.transfer.fileHint}
          placeholder={modelsTexts.transfer.choose}
          accept="application/json,.json"
          clearable
          clearButtonProps={{ 'aria-label': modelsTexts.transfer.clear }}
          value={file}
          onChange={choose}
        />
        <Radio.Group
          label={modelsTexts.transfer.existing}
          value={mode}
          onChange={(value) => setMode(value === 'replace' ? 'replace' : 'merge')}
        >
          <Group mt={6} gap="md">
            <Radio value="merge" label={modelsTexts.transfer.merge} />
            <Radio value="replace" label={modelsTexts.transfer.replace} />
          </Group>
        </Radio.Group>
        <Button
          type="submit"
          size="sm"
          color={mode === 'replace' ? 'red' : 'cyan'}
          leftSection={<IconFileImport size={16} />}
          disabled={file === null}
          loading={isPending}
        >
          {mode === 'replace' ? modelsTexts.transfer.replaceAction : modelsTexts.transfer.import}
        </Button>
        {error !== null && <Failed error={error} />}
        {data !== undefined && <ImportReport report={data} />}
      </Stack>
    </form>
  )
}

function Failed({ error }: { readonly error: Error }) {
  const field = error instanceof ApiError ? error.field : undefined
  return (
    <Alert color="red" role="alert" title={modelsTexts.transfer.nothing}>
      {field !== undefined && <b>{field}: </b>}
      {error.message}
    </Alert>
  )
}

function useImport() {
  const change = useChangeRouting()
  return useMutation({
    mutationFn: async ({ file, mode }: { readonly file: File; readonly mode: Mode }) => {
      if (file.size > maxFileBytes) {
        throw new RangeError(modelsTexts.transfer.tooLarge(formatBytes(maxFileBytes)))
      }
      const state = await request<RoutingAnswer>(routingPath)
      const body = readImportFile(await file.text(), state)
      return change<ImportAnswer>({ method: 'POST', path: '/import', query: { mode }, body })
    },
  })
}
