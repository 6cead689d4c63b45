import { Alert, List } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ImportAnswer } from '../../../../src/models/routing/import/import-report.ts'
import { formatAmount } from '../../format/bytes.ts'

const named = 5

/** The result of an import and the remaining steps. */
export function ImportReport({ report }: { readonly report: ImportAnswer }) {
  const { imported, connectionsWithoutKey, renamedProviders, leftOut, leftOutCount } = report
  const { connections, combos, customModels, modelAliases } = imported
  return (
    <Alert color="teal" role="status" title="Imported" w="100%">
      <List size="sm" spacing={4}>
        <List.Item>
          {formatAmount(connections, 'connection')}, {formatAmount(combos, 'combo')},{' '}
          {formatAmount(customModels, 'custom model')},{' '}
          {formatAmount(modelAliases, 'alias', 'aliases')}
        </List.Item>
        {connectionsWithoutKey.length > 0 && (
          <List.Item>
            <b>{formatAmount(connectionsWithoutKey.length, 'connection')} without an API key.</b>{' '}
            Enter the keys under Connections (
            <Some items={connectionsWithoutKey} count={connectionsWithoutKey.length} />)
          </List.Item>
        )}
        {renamedProviders.length > 0 && (
          <List.Item>
            {formatAmount(renamedProviders.length, 'provider')} renamed so that their models can be
            requested
          </List.Item>
        )}
        {leftOutCount > 0 && (
          <List.Item>
            Skipped:{' '}
            <Some
              items={leftOut.map(({ field, reason }) => `${field} (${reason})`)}
              count={leftOutCount}
            />
          </List.Item>
        )}
        {report.warningCount > 0 && (
          <List.Item>
            No effect on the list:{' '}
            <Some
              items={report.warnings.map(({ field, message }) => `${field} (${message})`)}
              count={report.warningCount}
            />
          </List.Item>
        )}
        {report.ignoredFieldCount > 0 && (
          <List.Item>
            Ignored fields: <Some items={report.ignoredFields} count={report.ignoredFieldCount} />
          </List.Item>
        )}
      </List>
    </Alert>
  )
}

function Some({ items, count }: { readonly items: readonly string[]; readonly count: number }) {
  const shown = items.slice(0, named)
  const rest: ReactNode = count > shown.length ? ` and ${count - shown.length} more` : null
  return (
    <>
      {shown.join(', ')}
      {rest}
    </>
  )
}
