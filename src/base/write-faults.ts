// This file lists the errors of writes: bodies, references and preconditions.
// A code is never reused for another error.

import type { FaultRow } from './fault-row.ts';

export const WRITE_FAULTS = {
  'write.all-links': {
    status: 405,
    message:
      'DELETE of all links of "{name}" requires OData-Version: 4.01. To remove one link, send DELETE to {name}(<key>)/$ref, or to {name}/$ref?$id=<URL>.',
  },
  'write.annotation': {
    status: 400,
    message: 'There is no control information "{name}"; write "{meant}".',
  },
  'write.body': { status: 400, message: 'The body is not valid. {first}{more}' },
  'write.body-form': { status: 400, message: '{thing} {found}. Send {expected}.' },
  'write.changed': {
    status: 412,
    message:
      'The ETag does not match the current state of the entity; read it again and repeat the change.',
  },
  'write.circle': {
    status: 409,
    message:
      'Setting "{name}" would create a cycle: the {type} would become its own ancestor. Nothing was changed.',
  },
  'write.code': {
    status: 400,
    message: 'The code list {list} has no code {shown}; permitted are {permitted}.{hint}',
  },
  'write.code-ambiguous': {
    status: 400,
    message: 'Several codes of the list {list} have this text ({codes}); send the {value} instead.',
  },
  'write.code-disabled': {
    status: 400,
    message: 'The code {shown} of the list {list} is no longer in use; permitted are {permitted}.',
  },
  'write.code-disagrees': {
    status: 400,
    message:
      '{value} and {text} name different codes of the list {list}: {meant} and {codes}. Send only one of them; permitted are {permitted}.',
  },
  'write.constraint': {
    status: 400,
    message:
      '"{name}" conflicts with the entity referenced by "{navigation}". Remove "{name}", or reference the matching entity.',
  },
  'write.contained': {
    status: 400,
    message:
      'The entities of "{name}" belong to their owner and cannot be linked. Send them inline, or POST them to "{name}".',
  },
  'write.contradiction': {
    status: 400,
    message:
      '"{name}" is determined by the URL or the enclosing entity, but the body names a different entity; leave it out.',
  },
  'write.delta': {
    status: 400,
    message: 'A delta payload is not allowed for "{name}" here: {why}.',
  },
  'write.exists': {
    status: 412,
    message:
      'The entity exists, and If-None-Match excludes its current state; remove the header to change the entity.',
  },
  'write.homeless': {
    status: 400,
    message:
      'An entity of type {type} cannot be created here, because {set} does not contain it. Create it in its own entity set and reference it.',
  },
  'write.immutable': {
    status: 400,
    message: '"{name}" can only be set on creation; leave it out.',
  },
  'write.inline': {
    status: 400,
    message:
      '"{name}" cannot contain inline entities in a PATCH or PUT of version 4.0; set the relation with "{name}@odata.bind", or send OData-Version: 4.01.',
  },
  'write.inner-relation': {
    status: 400,
    message:
      '"{name}" is part of a value that is stored as a whole and cannot have relations; leave it out.',
  },
  'write.key': {
    status: 400,
    message: 'The service assigns the key "{name}"; leave it out of the body.',
  },
  'write.media': {
    status: 400,
    message:
      '{type} is a media entity type. Send the content in "$value" with "@odata.mediaContentType", or POST it to the collection.',
  },
  'write.missing-reference': {
    status: 400,
    message: 'The reference {text} does not resolve: there is no such {type}.',
  },
  'write.no-etag': {
    status: 412,
    message:
      'A collection has no ETag that If-Match could name. Remove the header, or send the ETags of the records in the body.',
  },
  'write.no-item': { status: 404, message: '"{name}" has no item at position {index}.' },
  'write.not-found': { status: 404, message: 'Nothing exists at {address}.' },
  'write.not-linked': {
    status: 404,
    message: 'The entity is not linked by "{name}", so there is nothing to remove.',
  },
  'write.not-of-type': {
    status: 400,
    message: 'The entity is not of type {type}; leave "@odata.type" out, or send its actual type.',
  },
  'write.not-shown': {
    status: 400,
    message:
      'The response cannot include everything that was sent: {reason} Send Prefer: return=minimal, or name in $expand what it should include.',
  },
  'write.null': {
    status: 400,
    message: '"{name}" of type {type} cannot be null; give it a value.',
  },
  'write.referenced': {
    status: 409,
    message: 'The record cannot be deleted while other records refer to it. {remedy}',
  },
  'write.read-only': {
    status: 400,
    message:
      '"{name}" cannot be changed: the service maintains it, or it can only be set on creation.',
  },
  'write.recorded': {
    status: 403,
    message:
      'This {type} was written by the service, so neither it nor its contents can be changed or deleted. Create another {type} to correct it.',
  },
  'write.reference': { status: 400, message: 'The reference {text} cannot be used: {reason}' },
  'write.refused': { status: 409, message: '{message}' },
  'write.related-already': {
    status: 409,
    message: 'There is already a {type} between the two{way}; change that one instead.',
  },
  'write.required': {
    status: 400,
    message: '"{name}" of type {type} is required but missing{hint}.',
  },
  'write.reserved': {
    status: 403,
    message: 'Only the service writes a {type} for which "{condition}" is true. Use other values.',
  },
  'write.self-relation': {
    status: 409,
    message:
      'A {type} relates two different entities, but "{name}" refers to the source entity; name another one.',
  },
  'write.template': {
    status: 400,
    message: 'The template cannot be used: {reason}',
  },
  'write.template-inside': {
    status: 400,
    message:
      'Only the record that the request creates can name a template, not the records inside it; leave it out here.',
  },
  'write.template-json': {
    status: 400,
    message: 'The template\'s value for "{name}" must be JSON, but it is not.',
  },
  'write.too-deep': { status: 400, message: 'The body is nested deeper than {limit} levels.' },
  'write.too-large': { status: 400, message: 'The body has more than {limit} {what}.' },
  'write.too-many': {
    status: 413,
    message: 'The request would change {count} records; the limit is {limit}. Narrow the filter.',
  },
  'write.twice': {
    status: 400,
    message: '"{name}" refers to one entity but appears twice; leave one of them out.',
  },
  'write.type': {
    status: 400,
    message: 'The type {name} in @odata.type cannot be used here: {expected}.{hint}',
  },
  'write.unknown-navigation': {
    status: 400,
    message: 'The type {type} has no navigation property "{name}".{hint}',
  },
  'write.unknown-parameter': {
    status: 400,
    message: 'The action {type} has no parameter "{name}".{hint}',
  },
  'write.unknown-property': {
    status: 400,
    message: 'The type {type} has no property "{name}".{hint}',
  },
  'write.unnamed': {
    status: 400,
    message: 'The entity of type {type} is not identified; send its "@odata.id" or its key.',
  },
  'write.value': {
    status: 400,
    message: 'The value {shown} is not valid for "{name}" of type {type}: {expected}',
  },
} as const satisfies Record<string, FaultRow>;
