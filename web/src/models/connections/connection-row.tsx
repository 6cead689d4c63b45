import { Alert, Badge, Button, Menu, Switch, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ListingsAnswer } from '../../../../src/models/list/model-list-api.ts'
import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import type { ProbeReport } from '../../../../src/models/upstream/upstreams.ts'
import { request } from '../../api/client.ts'
import { frameTexts } from '../../texts/frame.ts'
import { modelsTexts } from '../../texts/models.ts'
import { failureOf } from '../../ui/messages.ts'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { Row } from '../../ui/row-list.tsx'
import { DeleteRecord, useEditing } from '../forms/record-actions.tsx'
import { RecordDialog } from '../forms/record-dialog.tsx'
import { routingPath, useRoutingAction } from '../routing-queries.ts'
import { WarningLines } from '../warning-lines.tsx'
import { connectionChange, connectionDraft, connectionFields } from './connection-draft.ts'
import { connectionDetail, connectionName, movedIds } from './connection-text.ts'
import { type Pause, PauseLines } from './pauses.tsx'

type ConnectionListing = ListingsAnswer['connections'][number]

interface ConnectionRowProps {
  readonly connection: ConnectionAnswer
  /** The ids of all connections, in order. */
  readonly ids: readonly string[]
  readonly warnings: readonly string[]
  readonly pauses: readonly Pause[]
  /** Undefined while it loads. */
  readonly listing: ConnectionListing | undefined
}

const keyStates = {
  none: { label: modelsTexts.connection.noKey, color: 'gray' },
  stored: undefined,
  unreadable: { label: modelsTexts.connection.unreadable, color: 'red' },
} as const

export function ConnectionRow(props: ConnectionRowProps) {
  const { connection, ids, warnings, pauses, listing } = props
  const test = useTest(connection)
  const name = connectionName(connection)
  const editing = useEditing(name)
  const path = `/connections/${encodeURIComponent(connection.id)}`
  return (
    <Row
      title={<Name connection={connection} />}
      detail={connectionDetail(connection)}
      actions={
        <>
          <ActiveSwitch connection={connection} />
          <Button
            variant="default"
            size="compact-sm"
            fz="xs"
            loading={test.isPending}
            aria-label={modelsTexts.connection.testOf(name)}
            onClick={() => test.mutate()}
          >
            {modelsTexts.connection.test}
          </Button>
          {editing.button}
          <ConnectionMenu connection={connection} ids={ids} />
        </>
      }
    >
      <WarningLines messages={warnings} />
      <PauseLines connection={connection} pauses={pauses} />
      {listing !== undefined && <ListingLines listing={listing} />}
      {test.data !== undefined && <TestResult report={test.data} onClose={test.reset} />}
      {editing.isEdited && (
        <RecordDialog
          title={modelsTexts.editOf(name)}
          fields={connectionFields(connection)}
          initial={connectionDraft(connection)}
          action={frameTexts.save}
          changeOf={(draft) => ({ method: 'PATCH', path, body: connectionChange(draft) })}
          onDone={editing.close}
        />
      )}
    </Row>
  )
}

function Name({ connection }: { readonly connection: ConnectionAnswer }) {
  const keyState = keyStates[connection.apiKeyState]
  return (
    <>
      <b>{connectionName(connection)}</b>{' '}
      {keyState !== undefined && (
        <Badge variant="light" color={keyState.color} tt="none" size="sm">
          {keyState.label}
        </Badge>
      )}
    </>
  )
}

function ActiveSwitch({ connection }: { readonly connection: ConnectionAnswer }) {
  const name = connectionName(connection)
  const { mutate, isPending } = useRoutingAction(modelsTexts.connection.changeFailure(name))
  const word = connection.isActive ? 'disable' : 'enable'
  return (
    <Switch
      size="sm"
      mr={6}
      aria-label={modelsTexts.connection.isActive(name)}
      checked={connection.isActive}
      disabled={isPending}
      onChange={() =>
        mutate({
          method: 'POST',
          path: `/connections/${encodeURIComponent(connection.id)}/${word}`,
        })
      }
    />
  )
}

/** Asks the upstream now. A failure of the upstream is a result, not an error. */
function useTest(connection: ConnectionAnswer) {
  const path = `${routingPath}/connections/${encodeURIComponent(connection.id)}/test`
  return useMutation({
    mutationFn: () => request<ProbeReport>(path, { method: 'POST' }),
    onError: failureOf(modelsTexts.connection.testFailure(connectionName(connection))),
  })
}

/** Shows how many models of a connection are listed, and why others are not. */
function ListingLines({ listing }: { readonly listing: ConnectionListing }) {
  return (
    <>
      <Text size="xs" c="dimmed" mt={4}>
        {modelsTexts.connection.listed(modelsTexts.modelCount(listing.listed))}
      </Text>
      {listing.reasons.map(({ message, models, count }) => (
        <Text key={message} size="xs" c="dimmed" mt={2}>
          {count > 0 && modelsTexts.connection.notListed(modelsTexts.modelCount(count))}
          {message}
          {models.length > 0 && ` (${models.join(', ')}${count > models.length ? ', …' : ''})`}
        </Text>
      ))}
    </>
  )
}

interface TestResultProps {
  readonly report: ProbeReport
  readonly onClose: () => void
}

const looks = {
  ok: { color: 'teal', title: modelsTexts.connection.ok },
  failed: { color: 'red', title: modelsTexts.connection.failed },
  untested: { color: 'gray', title: modelsTexts.connection.notTested },
} as const

function TestResult({ report, onClose }: TestResultProps) {
  const { outcome, message, status, durationMs } = report
  const details = [
    status === undefined ? undefined : modelsTexts.connection.status(status),
    durationMs > 0 ? `${Math.round(durationMs)} ms` : undefined,
  ].filter((detail) => detail !== undefined)
  return (
    <Alert
      color={looks[outcome].color}
      role="status"
      title={looks[outcome].title}
      withCloseButton
      closeButtonLabel={modelsTexts.connection.dismiss}
      onClose={onClose}
    >
      {message}
      {details.length > 0 && ` (${details.join(', ')})`}
    </Alert>
  )
}

interface ConnectionMenuProps {
  readonly connection: ConnectionAnswer
  readonly ids: readonly string[]
}

/** The less common actions on a connection. */
function ConnectionMenu({ connection, ids }: ConnectionMenuProps) {
  const [isAsked, { open, close }] = useDisclosure(false)
  const name = connectionName(connection)
  return (
    <>
      <MoreMenu name={name} removal={modelsTexts.delete} onRemove={open}>
        <MoveItem connection={connection} ids={ids} by={-1} />
        <MoveItem connection={connection} ids={ids} by={1} />
        <Menu.Divider />
      </MoreMenu>
      <DeleteRecord
        name={name}
        words={modelsTexts.connections}
        path={`/connections/${encodeURIComponent(connection.id)}`}
        isAsked={isAsked}
        onClose={close}
      >
        {modelsTexts.connection.deleteText}
      </DeleteRecord>
    </>
  )
}

function MoveItem({ connection, ids, by }: ConnectionMenuProps & { readonly by: -1 | 1 }) {
  const { mutate } = useRoutingAction(
    modelsTexts.connection.moveFailure(connectionName(connection)),
  )
  const moved = movedIds(ids, connection.id, by)
  const Icon = by === -1 ? IconArrowUp : IconArrowDown
  return (
    <Menu.Item
      leftSection={<Icon size={16} />}
      disabled={moved === undefined}
      onClick={() => mutate({ method: 'POST', path: '/connections/reorder', body: { ids: moved } })}
    >
      {by === -1 ? modelsTexts.connection.up : modelsTexts.connection.down}
    </Menu.Item>
  )
}
