import { setTimeout as wait } from 'node:timers/promises'
import { idHeaders } from './content-requests.ts'
import { DavError } from './dav-error.ts'
import type { DavCall, DavReply } from './dav-exchange.ts'
import { checkName, type DavPath } from './dav-path.ts'
import { checkApart, checkedDestination } from './destination.ts'
import { nameOf } from './file-tree.ts'
import { receiveText } from './receive-body.ts'
import type { UserFiles } from './user-files.ts'

/** How long the target of a MOVE over a file is missing. */
const goneMs = 2

export async function deleteNode(user: UserFiles, { path }: DavCall): Promise<DavReply> {
  user.tree.get(path)
  user.locks.checkAlone(path)
  remove(user, path)
  return { status: 204 }
}

export async function makeFolder(
  { tree }: UserFiles,
  { path, request }: DavCall,
): Promise<DavReply> {
  if ((await receiveText(request)) !== '') throw new DavError(415, 'MKCOL takes no body')
  if (tree.find(path) === undefined) {
    tree.parentOf(path)
    checkName(nameOf(path))
  }
  return { status: 201, headers: idHeaders(tree.makeFolder(path)) }
}

/** sabre/dav's CorePlugin::httpMove: an existing target is deleted first, and missing for a moment. */
export async function moveNode(user: UserFiles, call: DavCall): Promise<DavReply> {
  user.tree.get(call.path)
  user.locks.checkAlone(call.path)
  const { path, exists } = await clearDestination(user, call)
  user.tree.move(call.path, path)
  user.dead.moved(call.path, path)
  return { status: exists ? 204 : 201, headers: idHeaders(user.tree.get(path)) }
}

/** As MOVE. Dead properties stay where they are. */
export async function copyNode(user: UserFiles, call: DavCall): Promise<DavReply> {
  const source = user.tree.get(call.path)
  const { path, exists } = await clearDestination(user, call)
  user.tree.copy(source, path, (content) => user.duplicate(content))
  return { status: exists ? 204 : 201, headers: idHeaders(user.tree.get(path)) }
}

async function clearDestination(user: UserFiles, call: DavCall) {
  const destination = checkedDestination(call, user)
  checkApart(call.path, destination.path)
  checkName(nameOf(destination.path))
  user.locks.checkAlone(destination.path)
  if (destination.exists) {
    remove(user, destination.path)
    if (call.fault?.kind === 'lose-target') throw new DavError(500, 'died between the two')
    await wait(goneMs)
  }
  return destination
}

function remove({ tree, dead }: UserFiles, path: DavPath): void {
  tree.remove(path)
  dead.removed(path)
}
