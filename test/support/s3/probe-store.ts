import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { Probe } from '../../../src/storage/drives/s3/probe/probe.ts'
import { Store } from '../../../src/storage/drives/s3/requests/store.ts'
import type { Abilities } from '../../../src/storage/drives/s3/requests/store-abilities.ts'
import { StoreNames } from '../../../src/storage/drives/s3/requests/store-names.ts'
import { clientOf, type StoreLogin } from './s3-store.ts'

/** What a gateway on the store finds out at its start. Leaves a bucket. */
export async function probeStore(login: StoreLogin, bucket = 'probed'): Promise<Abilities> {
  const { url, accessKey, secretKey, region } = login
  const client = clientOf(login)
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  const store = new Store({
    ...{ endpoint: url, region, addressing: 'path' },
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  })
  try {
    return await new Probe(store, new StoreNames({ endpoint: url, prefix: '' })).abilities(bucket)
  } finally {
    store.close()
  }
}
