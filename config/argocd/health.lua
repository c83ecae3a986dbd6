-- SPDX-License-Identifier: Apache-2.0
-- How Argo CD judges a GcloudRun, a DocumentFetch and a DataformFileRead.

local status = obj.status or {}
if status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "The operator has not seen this spec yet" }
end

local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end

local function isTrue(kind)
  return conditions[kind] ~= nil and conditions[kind].status == "True"
end

-- An annotation that asks for another run changes no generation: until the operator has seen it, the
-- conditions tell of the run before, or that the resource is held. What can't be run stays so when it is
-- asked for.
local function isAskedForUnseen(ready)
  local run, annotations = status.run or {}, obj.metadata.annotations or {}
  local refused = ready.reason == "InvalidSpec" or ready.reason == "InputMissing" and run.podUID == nil
  if refused or ready.reason ~= "Held" and ready.reason ~= run.reason then
    return false
  end
  local function isNew(asked, handled)
    return asked ~= nil and asked ~= "" and asked ~= handled
  end
  return isNew(annotations["gcloud-operator.dev/requested-at"], status.lastHandledRequest)
    or isNew(annotations["reconcile.fluxcd.io/requestedAt"], status.lastHandledReconcileAt)
end

local ready = conditions.Ready
if ready == nil then
  return { status = "Progressing", message = "The operator has not seen this spec yet" }
end

local health = { status = "Progressing", message = ready.reason .. ": " .. ready.message }
if isTrue("Reconciling") then
  return health
elseif isAskedForUnseen(ready) then
  health.message = "The operator has not seen yet that a run is asked for"
elseif ready.reason == "Suspended" or ready.reason == "Held" then
  health.status = "Suspended"
elseif isTrue("Stalled") then
  health.status = "Degraded"
elseif isTrue("Ready") then
  health.status = "Healthy"
end
return health
