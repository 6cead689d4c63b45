import { Alert, List } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ImportAnswer } from '../../../../src/models/routing/import/import-report.ts'
import { modelsTexts } from '../../texts/models.ts'
import { Rich } from '../../texts/rich.tsx'

const named = 5

/** The result of an import and the remaining steps. */
export function ImportReport({ report }: { readonly report: ImportAnswer }) {
  const { imported, connectionsWithoutKey, renamedProviders, leftOut, leftOutCount } = report
  const { connections, combos, customModels, modelAliases } = imported
  return (
    <Alert color="teal" role="status" title={modelsTexts.report.title} w="100%">
      <List size="sm" spacing={4}>
        <List.Item>
          {modelsTexts.report.connections(connections)}, {modelsTexts.report.combos(combos)},{' '}
          {modelsTexts.report.custom(customModels)}, {modelsTexts.report.aliases(modelAliases)}
        </List.Item>
        {connectionsWithoutKey.length > 0 && (
          <List.Item>
            <b>
              {modelsTexts.report.withoutKey(
                modelsTexts.report.connections(connectionsWithoutKey.length),
              )}
            </b>{' '}
            <Rich
              text={modelsTexts.report.enterKeys}
              marks={{
                names: () => (
                  <Some items={connectionsWithoutKey} count={connectionsWithoutKey.length} />
                ),
              }}
            />
          </List.Item>
        )}
        {renamedProviders.length > 0 && (
          <List.Item>
            {modelsTexts.report.renamed(modelsTexts.report.providers(renamedProviders.length))}
          </List.Item>
        )}
        {leftOutCount > 0 && (
          <List.Item>
            <Rich
              text={modelsTexts.report.skipped}
              marks={{
                names: () => (
                  <Some
                    items={leftOut.map(({ field, reason }) => `${field} (${reason})`)}
                    count={leftOutCount}
                  />
                ),
              }}
            />
          </List.Item>
        )}
        {report.warningCount > 0 && (
          <List.Item>
            <Rich
              text={modelsTexts.report.noEffect}
              marks={{
                names: () => (
                  <Some
                    items={report.warnings.map(({ field, message }) => `${field} (${message})`)}
                    count={report.warningCount}
                  />
                ),
              }}
            />
          </List.Item>
        )}
        {report.ignoredFieldCount > 0 && (
          <List.Item>
            <Rich
              text={modelsTexts.report.ignored}
              marks={{
                names: () => <Some items={report.ignoredFields} count={report.ignoredFieldCount} />,
              }}
            />
          </List.Item>
        )}
      </List>
    </Alert>
  )
}

function Some({ items, count }: { readonly items: readonly string[]; readonly count: number }) {
  const shown = items.slice(0, named)
  const rest: ReactNode =
    count > shown.length ? modelsTexts.report.more(count - shown.length) : null
  return (
    <>
      {shown.join(', ')}
      {rest}
    </>
  )
}
