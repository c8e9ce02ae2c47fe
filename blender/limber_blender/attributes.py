"""What limber knows of every vertex, as named attributes of the mesh: geometry nodes can use them.

limber_offset    vector, how far limber moves the vertex, in the object's space
limber_path_1    vector, from the vertex to where it was a frame before; _2, _3 and _4: two, three and four frames
limber_speed     meters (units) per second
limber_contact   0 ... 1, how still it rests on the lowest ground of the clip
"""
import numpy as np

from . import maths

OFFSET, SPEED, CONTACT, PATH = "limber_offset", "limber_speed", "limber_contact", "limber_path_"
PAST = 4  # frames
NAMES = {OFFSET: "FLOAT_VECTOR", **{f"{PATH}{k}": "FLOAT_VECTOR" for k in range(1, PAST + 1)},
         SPEED: "FLOAT", CONTACT: "FLOAT"}
LOW, STILL = (0.005, 0.02), (0.15, 0.4)  # in L and L/s: surely, and not at all
GROUND_LOOKS = 16


def is_on(armature):
    return armature.limber.attributes


def of(session, frame, offsets):
    """{name of the object: {attribute: (V,) or (V, 3) float32}} at a frame of the scene."""
    here = _positions(session, frame)
    past = [_positions(session, frame - k) for k in range(1, PAST + 1)]
    speed = np.linalg.norm(_positions(session, frame + 1) - past[0], axis=-1) * session.fps / 2
    contact = _contact(here[:, 1] - _ground(session), speed, float(session.character.size))
    worlds = session.worlds(frame)
    found = {}
    for part in session.rig.parts:
        turn = maths.inverse(worlds[part.name])[:3, :3].astype(np.float32)
        rows = {f"{PATH}{k + 1}": (was - here)[part.slice] @ turn.T for k, was in enumerate(past)}
        found[part.name] = {OFFSET: offsets[part.name], SPEED: speed[part.slice], CONTACT: contact[part.slice], **rows}
    return found


def _positions(session, frame):
    return session.pipeline.evaluate(0, session.time_of(frame)).positions.copy()


def _ground(session):
    """The lowest vertex of the clip, looked at now and then."""
    if session.ground is None:
        frames = np.linspace(session.range.start, session.range.end, GROUND_LOOKS)
        session.ground = min(float(_positions(session, frame)[:, 1].min()) for frame in frames)
    return session.ground


def _contact(height, speed, size):
    return ((1 - _smooth(height / size, *LOW)) * (1 - _smooth(speed / size, *STILL))).astype(np.float32)


def _smooth(x, low, high):
    u = np.clip((x - low) / (high - low), 0, 1)
    return u * u * (3 - 2 * u)
