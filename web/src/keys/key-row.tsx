import { Badge, Code, Group, Menu, Switch, Text } from '@mantine/core'
import { IconPencil, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { KeyReply, KeyWithSecretReply } from '../../../src/dashboard/management/key-routes.ts'
import { shownMessage } from '../api/shown-message.ts'
import { frameTexts } from '../texts/frame.ts'
import { keysTexts } from '../texts/keys.ts'
import { locale } from '../texts/language.ts'
import { Rich } from '../texts/rich.tsx'
import { Age } from '../ui/age.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { failureOf } from '../ui/messages.ts'
import { MoreMenu } from '../ui/more-menu.tsx'
import { Row } from '../ui/row-list.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { draftOf } from './key-draft.ts'
import { grantText, keyStates } from './key-text.ts'
import { pathOf, useKeyAction } from './keys-queries.ts'
import { RotateDialog } from './rotate-dialog.tsx'

const gib = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })

function formatGib(bytes: number): string {
  return gib.format(bytes / 2 ** 30)
}

interface KeyRowProps {
  readonly accessKey: KeyReply
  readonly onSecret: (made: KeyWithSecretReply) => void
}

type Asked = 'change' | 'rotate' | 'revoke'

export function KeyRow({ accessKey, onSecret }: KeyRowProps) {
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const rotated = (made: KeyWithSecretReply) => {
    close()
    onSecret(made)
  }
  const isFixed = accessKey.source === 'file'
  return (
    <Row
      title={<Name accessKey={accessKey} />}
      detail={<Detail accessKey={accessKey} />}
      actions={!isFixed && <Actions accessKey={accessKey} onAsk={setAsked} />}
    >
      {accessKey.problem !== null && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {shownMessage(accessKey.problem)}
        </Text>
      )}
      {asked === 'change' && (
        <KeyDialog
          title={keysTexts.change(accessKey.name)}
          action={frameTexts.save}
          initial={draftOf(accessKey)}
          request={{ method: 'PATCH', path: pathOf(accessKey) }}
          onDone={close}
          onClose={close}
        />
      )}
      {asked === 'rotate' && (
        <RotateDialog accessKey={accessKey} onDone={rotated} onClose={close} />
      )}
      <Revoke accessKey={accessKey} isAsked={asked === 'revoke'} onClose={close} />
    </Row>
  )
}

function Name({ accessKey }: { readonly accessKey: KeyReply }) {
  return (
    <>
      <b>{accessKey.name}</b>{' '}
      {keyStates(accessKey, Date.now()).map(({ label, color }) => (
        <Badge key={label} variant="light" color={color} tt="none" size="sm" mr={4}>
          {label}
        </Badge>
      ))}
    </>
  )
}

function Detail({ accessKey }: { readonly accessKey: KeyReply }) {
  const { accessKeyId, grants, lastUsedAt, expiresAt, note, limits } = accessKey
  const { requestsPerSecond, bytes } = limits
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Code>{accessKeyId}</Code>
        <CopyButton text={accessKeyId} what={keysTexts.keyOf(accessKey.name)} />
      </Group>
      <div>{grants.length === 0 ? keysTexts.noRights : grants.map(grantText).join(' · ')}</div>
      <div>
        {lastUsedAt === null ? (
          keysTexts.neverUsed
        ) : (
          <Rich text={keysTexts.used} marks={{ age: () => <Age at={lastUsedAt} /> }} />
        )}
        {expiresAt !== null && (
          <Rich text={keysTexts.expires} marks={{ age: () => <Age at={expiresAt} /> }} />
        )}
        {requestsPerSecond !== null && keysTexts.perSecond(requestsPerSecond)}
        {bytes !== null && keysTexts.gib(formatGib(bytes))}
      </div>
      {note !== '' && <div>{note}</div>}
    </>
  )
}

interface ActionsProps {
  readonly accessKey: KeyReply
  readonly onAsk: (asked: Asked) => void
}

function Actions({ accessKey, onAsk }: ActionsProps) {
  const { name, isDisabled } = accessKey
  const { mutate, isPending } = useKeyAction({ onError: failureOf(keysTexts.changeFailure(name)) })
  return (
    <>
      <Switch
        size="sm"
        mr={6}
        aria-label={keysTexts.isActive(name)}
        checked={!isDisabled}
        disabled={isPending}
        onChange={() =>
          mutate({ method: 'PATCH', path: pathOf(accessKey), body: { isDisabled: !isDisabled } })
        }
      />
      <IconButton label={keysTexts.change(name)} onClick={() => onAsk('change')}>
        <IconPencil size={16} />
      </IconButton>
      <MoreMenu name={name} removal={keysTexts.revoke} onRemove={() => onAsk('revoke')}>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onAsk('rotate')}>
          {keysTexts.replaceSecret}
        </Menu.Item>
      </MoreMenu>
    </>
  )
}

interface RevokeProps {
  readonly accessKey: KeyReply
  readonly isAsked: boolean
  readonly onClose: () => void
}

function Revoke({ accessKey, isAsked, onClose }: RevokeProps) {
  const { name } = accessKey
  const { mutate, isPending } = useKeyAction({ onError: failureOf(keysTexts.revokeFailure(name)) })
  return (
    <Confirm
      isOpen={isAsked}
      title={keysTexts.revokeAsk(name)}
      action={keysTexts.revokeAction}
      isBusy={isPending}
      onConfirm={() =>
        mutate({ method: 'DELETE', path: pathOf(accessKey) }, { onSettled: onClose })
      }
      onClose={onClose}
    >
      <Rich text={keysTexts.revokeText(name)} />
    </Confirm>
  )
}
