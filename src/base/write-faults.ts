// This file holds the refusals of what only a write can ask for: bodies, references and preconditions.
// Rows stand by room and, within one, by code; a code is never used again for something else.

import type { FaultRow } from './fault-row.ts';

export const FAULTS_OF_WRITING = {
  // write: what a body, a reference or a precondition asks for cannot be done
  'write.all-links': {
    status: 405,
    message:
      'DELETE of all links of "{name}" requires OData-Version: 4.01. To remove one link, send DELETE to {name}(<key>)/$ref, or to {name}/$ref?$id=<URL>.',
  },
  'write.annotation': {
    status: 400,
    message: 'There is no control information "{name}"; write "{meant}".',
  },
  'write.body': { status: 400, message: 'The body cannot be accepted. {first}{more}' },
  'write.body-form': { status: 400, message: '{thing} {found}. Send {expected}.' },
  'write.changed': {
    status: 412,
    message:
      'The entity is not in the state that the ETag stands for; read it again and repeat the change.',
  },
  'write.circle': {
    status: 409,
    message:
      'By "{name}" the {type} would be its own ancestor: what is to be related leads back to it. Nothing was changed.',
  },
  'write.code': {
    status: 400,
    message: 'The code list {list} has no code {shown}; permitted are {permitted}.{hint}',
  },
  'write.code-ambiguous': {
    status: 400,
    message: 'Several codes of the list {list} have this text ({codes}); give the {value}.',
  },
  'write.code-disabled': {
    status: 400,
    message: 'The code {shown} of the list {list} is no longer in use; permitted are {permitted}.',
  },
  'write.code-disagrees': {
    status: 400,
    message:
      '{value} and {text} name different codes of the list {list}: {meant} and {codes}; leave one of them out. Permitted are {permitted}.',
  },
  'write.constraint': {
    status: 400,
    message:
      '"{name}" is not what the entity has that "{navigation}" leads to; leave it out, or name the other entity.',
  },
  'write.contained': {
    status: 400,
    message:
      'The entities of "{name}" belong to their owner and cannot be linked; give them inline or POST them there.',
  },
  'write.contradiction': {
    status: 400,
    message:
      '"{name}" follows from where the entity is made, and the body names another one; leave it out.',
  },
  'write.delta': {
    status: 400,
    message: 'A list of changes cannot be given for "{name}" here: {why}.',
  },
  'write.exists': {
    status: 412,
    message:
      'The entity is there, in a state that If-None-Match excludes; leave the header out to change it.',
  },
  'write.homeless': {
    status: 400,
    message:
      'An entity of type {type} cannot be made here, since no {set} takes it; make it in its own set and refer to it.',
  },
  'write.immutable': {
    status: 400,
    message: '"{name}" can be set at creation only; leave it out.',
  },
  'write.inline': {
    status: 400,
    message:
      '"{name}" cannot hold inline entities in a PATCH or PUT of version 4.0; set the relation with "{name}@odata.bind", or send OData-Version: 4.01.',
  },
  'write.inner-relation': {
    status: 400,
    message:
      '"{name}" lies inside a value that is kept as a whole and can have no relations; leave it out.',
  },
  'write.key': {
    status: 400,
    message: 'The key "{name}" is given by the service; leave it out of the body.',
  },
  'write.media': {
    status: 400,
    message:
      'An entity of type {type} is made of bytes; give them in "$value" with "@odata.mediaContentType", or POST them to its collection.',
  },
  'write.missing-reference': {
    status: 400,
    message: 'The reference {text} leads to nothing: there is no such {type}.',
  },
  'write.no-etag': {
    status: 412,
    message:
      'A collection has no ETag, so that If-Match can name none of it; leave the header out, or send the ETags of records in the body.',
  },
  'write.no-item': { status: 404, message: '"{name}" has no item at position {index}.' },
  'write.not-found': { status: 404, message: 'There is nothing at {address}.' },
  'write.not-linked': {
    status: 404,
    message: 'The entity is not related by "{name}", so that there is nothing to remove.',
  },
  'write.not-of-type': {
    status: 400,
    message:
      'The entity is not of type {type}; leave "@odata.type" out or name the type that it has.',
  },
  'write.not-shown': {
    status: 400,
    message:
      'The answer cannot show all that is sent along: {reason} Send Prefer: return=minimal, or say by $expand what it shall show.',
  },
  'write.null': {
    status: 400,
    message: '"{name}" of type {type} cannot be null; give it a value.',
  },
  'write.referenced': {
    status: 409,
    message: 'The record cannot be deleted while others refer to it. {remedy}',
  },
  'write.read-only': {
    status: 400,
    message:
      '"{name}" is kept by the service, or can be set at creation only, and cannot be changed.',
  },
  'write.recorded': {
    status: 403,
    message:
      'This {type} was written by the service and cannot be changed or deleted, nor can what it contains. Create another {type} to correct it.',
  },
  'write.reference': { status: 400, message: 'The reference {text} cannot be used: {reason}' },
  'write.refused': { status: 409, message: '{message}' },
  'write.related-already': {
    status: 409,
    message: 'There is a {type} between the two already{way}; change that one instead.',
  },
  'write.required': {
    status: 400,
    message: '"{name}" of type {type} is required and missing{hint}.',
  },
  'write.reserved': {
    status: 403,
    message:
      'Only the service writes a {type} for which "{condition}" is true. Give it other values.',
  },
  'write.self-relation': {
    status: 409,
    message:
      'A {type} relates two different entities, but "{name}" leads to the one that it starts from; name another one.',
  },
  'write.template': {
    status: 400,
    message: 'The template cannot be used: {reason}',
  },
  'write.template-inside': {
    status: 400,
    message:
      'Only the record that the request makes can name a template, none inside it; leave it out here.',
  },
  'write.template-json': {
    status: 400,
    message: 'The value that the template has for "{name}" is no JSON, as it has to be there.',
  },
  'write.too-deep': { status: 400, message: 'The body is nested deeper than {limit} levels.' },
  'write.too-large': { status: 400, message: 'The body has more than {limit} {what}.' },
  'write.too-many': {
    status: 413,
    message: '{count} records would be changed at once; at most {limit} can be. Narrow the filter.',
  },
  'write.twice': {
    status: 400,
    message: '"{name}" leads to one entity and is given twice; leave one of them out.',
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
    message:
      'It is not said which entity of type {type} is meant; give its "@odata.id" or its key.',
  },
  'write.value': {
    status: 400,
    message: 'The value {shown} is not valid for "{name}" of type {type}: {expected}',
  },
} as const satisfies Record<string, FaultRow>;
