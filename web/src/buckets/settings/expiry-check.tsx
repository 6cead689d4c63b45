import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type {
  BucketChange,
  BucketStatus,
  ExpiryDryRunBody,
  ExpiryDryRunReply,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { request } from '../../api/client.ts'
import { useStatus } from '../../api/service-queries.ts'
import { deletionText } from '../../files/change/deletion-text.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { frameTexts } from '../../texts/frame.ts'
import { countExpired, type ExpiryCount, expiryText } from './expiry-count.ts'

export type RulesChange = BucketChange & Pick<ExpiryDryRunBody, 'expiry'>

interface ExpiryCheckProps {
  readonly bucket: BucketStatus
  readonly change: RulesChange
  readonly isBusy: boolean
  /** Must be stable between renders. */
  readonly onSave: (change: RulesChange) => void
  readonly onClose: () => void
}

/** Counts what the rules would delete now. Saves the rules if that is nothing, and asks otherwise. */
export function ExpiryCheck({ bucket, change, isBusy, onSave, onClose }: ExpiryCheckProps) {
  const [round, setRound] = useState(0)
  const { count, problem } = useCount(bucket.name, change, round, onSave)
  const isFound = count !== undefined && foundIn(count) > 0
  return (
    <Modal
      opened
      onClose={onClose}
      title={isFound ? bucketsTexts.expiry.deleteOf(bucket.name) : bucketsTexts.expiry.counting}
      centered
    >
      <Stack>
        <Text size="sm" role="status">
          {expiryText(count, Date.now())}
          {count?.isComplete !== true && problem === undefined && bucketsTexts.expiry.stillCounting}
        </Text>
        {isFound && <Consequences bucket={bucket} count={count} />}
        {problem !== undefined && (
          <Alert color="red" role="alert" title={bucketsTexts.expiry.unfinished}>
            {problem}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {frameTexts.cancel}
          </Button>
          {problem !== undefined && (
            <Button variant="default" onClick={() => setRound(round + 1)}>
              {frameTexts.tryAgain}
            </Button>
          )}
          {(isFound || problem === undefined) && (
            <Button color="red" disabled={!isFound} loading={isBusy} onClick={() => onSave(change)}>
              {bucketsTexts.expiry.save}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

interface ConsequencesProps {
  readonly bucket: BucketStatus
  readonly count: ExpiryCount
}

function Consequences({ bucket, count: { objects, formerVersions } }: ConsequencesProps) {
  const drive = useStatus().data?.drives.find(({ name }) => name === bucket.drive)
  return (
    <Text size="sm">
      {objects > 0 && `${deletionText(drive?.deletes, bucket.versioning)} `}
      {formerVersions.count > 0 && `${bucketsTexts.expiry.formerDeleted} `}
      {bucketsTexts.expiry.daily}
    </Text>
  )
}

function foundIn({ objects, formerVersions }: Pick<ExpiryCount, 'objects' | 'formerVersions'>) {
  return objects + formerVersions.count
}

/** The count, which each round starts again. */
function useCount(
  bucket: string,
  change: RulesChange,
  round: number,
  onNone: (change: RulesChange) => void,
) {
  const [state, setState] = useState<{ count?: ExpiryCount; problem?: string }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round starts the count again
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    setState({})
    const ask = (after: string) => {
      const body: ExpiryDryRunBody = { expiry: change.expiry, after }
      const path = `/-/api/buckets/${bucket}/expiry/dry-run`
      return request<ExpiryDryRunReply>(path, { method: 'POST', body, signal })
    }
    countExpired(ask, (count) => setState({ count })).then(
      (found) => {
        if (foundIn(found) === 0 && !signal.aborted) onNone(change)
      },
      ({ message }: Error) => {
        if (!signal.aborted) setState((before) => ({ ...before, problem: message }))
      },
    )
    return () => controller.abort()
  }, [bucket, change, round, onNone])
  return state
}
